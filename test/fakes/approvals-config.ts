import type { ApprovalsConfig } from '../../src/approvals/policy-config.ts';
import { approvals } from '../../src/config/sections/approvals.ts';

/** What hermod does without a word about approvals in its configuration. */
export const APPROVALS_DEFAULTS: ApprovalsConfig = approvals.parse({});
