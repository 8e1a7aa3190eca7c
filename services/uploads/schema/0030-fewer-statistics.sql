-- ANALYZE took a tenth of an import, most of it for statistics that no plan needs: terms are only
-- compared with those of a parameter, and no condition looks at these columns.
alter index uploads.uploads_by_term alter column 1 set statistics 0;

alter table uploads.uploads
  alter url set statistics 0,
  alter content_url set statistics 0,
  alter type set statistics 0,
  alter allow_any_extension set statistics 0,
  alter default_slug_extension set statistics 0,
  alter generated_description set statistics 0,
  alter meta_uploads set statistics 0,
  alter private set statistics 0,
  alter aliases set statistics 0,
  alter author_user_id set statistics 0,
  alter author_username set statistics 0,
  alter last_modified_by_user_id set statistics 0,
  alter last_modified_by_username set statistics 0,
  alter thumbnail_generation_version set statistics 0,
  alter ai_description_generation_version set statistics 0,
  alter ai_tags_generation_version set statistics 0,
  alter virus_scan_generation_version set statistics 0,
  alter ai_description_input_ref set statistics 0,
  alter intent_metadata set statistics 0,
  alter is_virtual_file set statistics 0;
