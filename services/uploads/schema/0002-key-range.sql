-- Ranges of tree keys: what a caller may see of a bucket is a set of them.
do $$
begin
  if to_regtype('uploads.key_range') is null then
    create type uploads.key_range as range (subtype = text, collation = "C");
  end if;
end
$$;
