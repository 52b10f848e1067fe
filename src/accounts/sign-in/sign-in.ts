import { ServiceError } from '../../errors/service-error.ts';
import type { Counters } from '../../storage/counters.ts';
import type { Database } from '../../storage/database.ts';
import { createMemoryCounters } from '../../storage/memory-counters.ts';
import { hashOf, randomText } from '../keys/api-key.ts';
import { checkedName } from '../projects/checked-name.ts';
import { createKnownDevices } from './known-devices.ts';
import { hashPassword, isPassword } from './passwords.ts';
import { createSignInDelay } from './sign-in-delay.ts';

export type ConsoleUser = { id: string; name: string; createdAt: string };

/** A session as its browser holds it: token and device are shown to nobody else and kept nowhere. */
export type NewSession = {
  token: string;
  user: ConsoleUser;
  /** The secret by which this browser is known when the user signs in again. */
  device: string;
};

/** Where somebody signs in from. */
export type Origin = {
  address?: string | undefined;
  /** The secret that the browser was given when somebody signed in before. */
  device?: string | undefined;
};

/** Who may use the console, and who is using it. */
export interface SignIn {
  /** The secret of a link with which one person can choose a name and a password, once and within a day. */
  createLink(): Promise<string>;
  /** Makes the user, or gives an old one a new password and ends its sessions. Throws not_found for a link that is used up. */
  useLink(link: string, user: { name: string; password: string }, from?: Origin): Promise<NewSession>;
  /** Always opens a new session, whatever the browser had before. Throws wrong_password or rate_limit_exceeded. */
  signIn(given: {
    name: string;
    password: string;
    address: string;
    device?: string | undefined;
  }): Promise<NewSession>;
  /** Throws not_signed_in. */
  findUser(token: string | undefined): Promise<ConsoleUser>;
  signOut(token: string): Promise<void>;
  signOutEverywhere(userId: string): Promise<void>;
  listUsers(): Promise<ConsoleUser[]>;
  removeUser(name: string): Promise<void>;
}

type Options = {
  database: Database;
  counters?: Counters;
  clock?: { now(): number };
  wait?(milliseconds: number): Promise<unknown>;
};

const linkLifetimeMs = 24 * 3600 * 1000;
const sessionLifetimeMs = 7 * 24 * 3600 * 1000;

export function createSignIn({ database, clock = Date, ...options }: Options): SignIn {
  const { queries } = database;
  const { counters = createMemoryCounters({ clock }), wait } = options;
  const slowed = createSignInDelay({ counters, ...(wait && { wait }) });
  const devices = createKnownDevices({ database, clock });

  const findByName = (name: string) =>
    queries.selectFrom('console_users').selectAll().where('name', '=', name).executeTakeFirst();

  const openSession = async (user: ConsoleUser, { device }: Origin): Promise<NewSession> => {
    const token = randomText(43);
    const now = clock.now();
    await queries.deleteFrom('sign_in_sessions').where('expires_at_ms', '<=', now).execute();
    await queries
      .insertInto('sign_in_sessions')
      .values({
        hash: hashOf(token),
        user_id: user.id,
        created_at_ms: now,
        expires_at_ms: now + sessionLifetimeMs,
      })
      .execute();
    return { token, user, device: await devices.remember(user.id, device) };
  };

  const isLink = async (link: string): Promise<boolean> => {
    const row = await queries
      .selectFrom('sign_in_links')
      .select('hash')
      .where('hash', '=', hashOf(link))
      .where('expires_at_ms', '>', clock.now())
      .executeTakeFirst();
    return row !== undefined;
  };

  const endSessions = async (userId: string): Promise<void> => {
    await queries.deleteFrom('sign_in_sessions').where('user_id', '=', userId).execute();
  };

  return {
    async createLink() {
      const link = randomText(43);
      await queries.deleteFrom('sign_in_links').where('expires_at_ms', '<=', clock.now()).execute();
      await queries
        .insertInto('sign_in_links')
        .values({ hash: hashOf(link), expires_at_ms: clock.now() + linkLifetimeMs })
        .execute();
      return link;
    },
    async useLink(link, given, from = {}) {
      const name = checkedName(given.name);
      // Hashing is dear: nobody gets it without a link. A link that is good is never refused for what others send.
      if (!(await isLink(link))) {
        if (from.address !== undefined) await slowed.noteUnknownLink(from.address);
        throw unknownLink();
      }
      const password_hash = await slowed.hashing(() => hashPassword(given.password));
      // One statement finds the link and uses it up, so that only one of two people who come at once can use it.
      const used = await queries
        .deleteFrom('sign_in_links')
        .where('hash', '=', hashOf(link))
        .where('expires_at_ms', '>', clock.now())
        .returning('hash')
        .executeTakeFirst();
      if (!used) throw unknownLink();
      const row = await queries
        .insertInto('console_users')
        .values({
          id: `user_${randomText(16)}`,
          name,
          password_hash,
          created_at: new Date(clock.now()).toISOString(),
        })
        .onConflict((conflict) => conflict.column('name').doUpdateSet({ password_hash }))
        .returningAll()
        .executeTakeFirstOrThrow();
      await endSessions(row.id);
      await devices.forgetAll(row.id);
      return openSession(userOf(row), from);
    },
    async signIn({ name, password, ...from }) {
      const row = await findByName(name.trim());
      const knownDevice = row && (await devices.find(row.id, from.device));
      const isRight = () => isPassword(password, row?.password_hash);
      const right = await slowed.attempt({ name: name.trim(), address: from.address, knownDevice }, isRight);
      if (!right || !row) throw new ServiceError('wrong_password');
      return openSession(userOf(row), from);
    },
    async findUser(token) {
      if (token === undefined) throw new ServiceError('not_signed_in');
      const row = await queries
        .selectFrom('sign_in_sessions')
        .innerJoin('console_users', 'console_users.id', 'sign_in_sessions.user_id')
        .selectAll('console_users')
        .where('hash', '=', hashOf(token))
        .where('expires_at_ms', '>', clock.now())
        .executeTakeFirst();
      if (!row) throw new ServiceError('not_signed_in');
      return userOf(row);
    },
    async signOut(token) {
      await queries.deleteFrom('sign_in_sessions').where('hash', '=', hashOf(token)).execute();
    },
    signOutEverywhere: endSessions,
    async listUsers() {
      return (await queries.selectFrom('console_users').selectAll().orderBy('created_at').execute()).map(
        userOf,
      );
    },
    async removeUser(name) {
      const row = await findByName(name);
      if (!row) throw new ServiceError('not_found', { message: `There is no user "${name}".` });
      await endSessions(row.id);
      await devices.forgetAll(row.id);
      await queries.deleteFrom('console_users').where('id', '=', row.id).execute();
    },
  };
}

function unknownLink(): ServiceError {
  const message = 'This link was used already or is too old. Make a new one with: npx siann users link';
  return new ServiceError('not_found', { message });
}

function userOf(row: { id: string; name: string; created_at: string }): ConsoleUser {
  return { id: row.id, name: row.name, createdAt: row.created_at };
}
