-- Values as the JSON of answers has them, exactly as the service writes them (api/json). The
-- functions that make documents use these.
--
-- PostgreSQL inlines an SQL function only if it is not declared less volatile than its body. The
-- body of json_time and json_number is stable, because of `to_char`, so they are not declared
-- immutable.

-- RFC 3339 with as many fraction digits as the time needs: 0, 3 or 6.
create or replace function uploads.json_time(value timestamp) returns text
  language sql stable parallel safe
  return case value
    when date_trunc('second', value) then to_char(value, 'YYYY-MM-DD"T"HH24:MI:SS"Z"')
    when date_trunc('milliseconds', value) then to_char(value, 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')
    else to_char(value, 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')
  end;

-- As ECMAScript writes a double (Number::toString): with an exponent from 1e21 and below 1e-6. The
-- digits are those of the import, which are the fewest that identify the double.
create or replace function uploads.json_number(value numeric) returns text
  language sql stable parallel safe
  return case
    when value = 0 or abs(value) >= 1e-6 and abs(value) < 1e21 then trim_scale(value)::text
    else regexp_replace(ltrim(to_char(value, '9.9999999999999999EEEE')),
      '\.?0*e([-+])0?', 'e\1')
  end;

-- ECMAScript puts members whose names are array indices first, by number. The others stay in the
-- order of jsonb.
create or replace function uploads.json_text(value jsonb) returns text
  language plpgsql immutable parallel safe as $$
begin
  case jsonb_typeof(value)
    when 'object' then return (
      select '{' || coalesce(string_agg(to_json(key) || ':' || uploads.json_text(member), ','
        order by case when key ~ '^(0|[1-9][0-9]{0,9})$' and key::bigint < 4294967295
          then key::bigint end, position), '') || '}'
      from jsonb_each(value) with ordinality as members (key, member, position));
    when 'array' then return (
      select '[' || coalesce(string_agg(uploads.json_text(element), ','
        order by position), '') || ']'
      from jsonb_array_elements(value) with ordinality as elements (element, position));
    when 'number' then return uploads.json_number(value::numeric);
    else return value::text;
  end case;
end $$;
