/** Lists the grants of people: what clients may still get tokens for. */
import type pg from "pg";
import { userPrefix } from "../model/subjects.ts";
import type { GrantPayload } from "./grants.ts";

/** The conditions of a list. All of them must hold. */
interface GrantFilter {
  loginName?: string | undefined;
  clientId?: string | undefined;
  organisationId?: string | undefined;
}

export interface ListedGrant {
  grantId: string;
  loginName: string | null;
  /** The person's. */
  subject: string;
  clientId: string;
  grantedAt: Date;
  /** The scopes of OpenID Connect, and those of all resource servers. */
  scopes: string[];
  /** The limits (RFC 9396); null: none. */
  authorizationDetails: readonly object[] | null;
  /** Whether a refresh token works that outlives the session. */
  isOffline: boolean;
}

/** Lists at most `limit` grants, the newest first. */
export async function listGrants(
  pool: pg.Pool,
  filter: GrantFilter,
  limit: number,
): Promise<ListedGrant[]> {
  const { rows } = await pool.query<Row>(
    `select grant_id as "grantId", login_name as "loginName", granted.account_id as subject,
       granted.client_id as "clientId", to_timestamp((payload->>'iat')::float8) as "grantedAt",
       payload, exists (
         select from auth.provider_records token
         where token.grant_id = granted.grant_id and token.model = 'RefreshToken'
           and token.consumed_at is null and token.expires_at > now()
           and token.payload->>'expiresWithSession' is null
       ) as "isOffline"
     from auth.provider_records granted
     left join auth.accounts account
       on granted.account_id = '${userPrefix}' || account.account_id
     where granted.model = 'Grant' and expires_at > now()
       and ($1::text is null or login_name = $1)
       and ($2::text is null or granted.client_id = $2)
       and ($3::text is null or organisation_id = $3)
     order by (payload->>'iat')::float8 desc, grant_id limit $4`,
    [filter.loginName, filter.clientId, filter.organisationId, limit],
  );
  return rows.map(({ payload, ...grant }) => ({
    ...grant,
    scopes: scopesOf(payload),
    authorizationDetails: payload.rar ?? null,
  }));
}

interface Row extends Omit<ListedGrant, "scopes" | "authorizationDetails"> {
  payload: GrantPayload;
}

function scopesOf({ openid, resources = {} }: GrantPayload): string[] {
  const texts = [openid?.scope ?? "", ...Object.values(resources)];
  return [...new Set(texts.flatMap((text) => text.split(" ")))].filter((scope) => scope !== "");
}
