/** Equal to package.json's; a test keeps it so. */
export const VERSION = '0.1.0';

/** When this release was made, UTC ms: a clock that shows less was never set. */
export const BUILT_AT = Date.parse('2026-11-01T00:00:00Z');
