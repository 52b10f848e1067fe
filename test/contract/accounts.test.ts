/** Everything that stands on the database, over each of the databases it may stand on. */
import { onBothEngines } from '../support/both-engines.ts';
import { databaseContract } from './database-contract.ts';
import { gateContract } from './gate-contract.ts';
import { ledgerContract } from './ledger-contract.ts';
import { ledgerFaultContract } from './ledger-fault-contract.ts';
import { managementContract } from './management-contract.ts';
import { secretsContract } from './secrets-contract.ts';
import { signInContract } from './sign-in-contract.ts';
import { usageContract } from './usage-contract.ts';

await onBothEngines({
  'the database': databaseContract,
  'managing accounts': managementContract,
  'the gate': gateContract,
  'the ledger': ledgerContract,
  'the ledger under faults': ledgerFaultContract,
  'reading usage': usageContract,
  'signing in to the console': signInContract,
  'secrets and retention': secretsContract,
});
