/** Equal to package.json's; a test keeps it so. */
export const VERSION = '0.1.0';
