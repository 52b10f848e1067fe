import type { Database } from '../../storage/database.ts';
import type { Seal } from '../../storage/seal.ts';

/** How signing secrets are kept: sealed, or as they are where the installation has no secret of its own. */
export type SigningSecrets = {
  /** As it is kept for this key. */
  close(keyId: string, signingSecret: string): string;
  /** Throws when it was sealed with another secret: a key that signs must never become one that does not. */
  open(keyId: string, kept: string): string;
};

export function createSigningSecrets(seal: Seal | undefined): SigningSecrets {
  return {
    close: (keyId, signingSecret) => seal?.close(signingSecret, placeOf(keyId)) ?? signingSecret,
    open(keyId, kept) {
      if (!isSealed(kept)) return kept;
      const signingSecret = seal?.open(kept, placeOf(keyId));
      if (signingSecret !== undefined) return signingSecret;
      throw new Error(
        `The signing secret of ${keyId} was sealed with another secret of the installation. Set SIANN_SECRET to it or bring the file "secret" beside the database back, or make a new signing secret with: siann keys sign ${keyId}`,
      );
    },
  };
}

/** To be called at the start: seals what an older version has kept readable. Throws when a secret cannot be opened. */
export async function sealOldSecrets(database: Database, seal: Seal | undefined): Promise<void> {
  const { open, close } = createSigningSecrets(seal);
  const rows = await database.queries
    .selectFrom('api_keys')
    .select(['id', 'signing_secret', 'revoked_at'])
    .where('signing_secret', 'is not', null)
    .execute();
  for (const { id, signing_secret, revoked_at } of rows) {
    const kept = signing_secret!;
    if (revoked_at === null) open(id, kept);
    if (!seal || isSealed(kept)) continue;
    // Only if it is still the same: somebody may make a new one at this moment.
    await database.queries
      .updateTable('api_keys')
      .set({ signing_secret: close(id, kept) })
      .where('id', '=', id)
      .where('signing_secret', '=', kept)
      .execute();
  }
}

/** Secrets themselves begin with `ss_`. */
function isSealed(kept: string): boolean {
  return kept.startsWith('v1.');
}

function placeOf(keyId: string): string {
  return `signing secret of ${keyId}`;
}
