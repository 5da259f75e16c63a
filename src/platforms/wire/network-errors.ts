const NO_CONNECTION = new Set(
  (
    'ECONNREFUSED ENOTFOUND EAI_AGAIN ENETUNREACH EHOSTUNREACH EHOSTDOWN ENETDOWN EADDRNOTAVAIL UND_ERR_CONNECT_TIMEOUT ' +
    'CERT_HAS_EXPIRED DEPTH_ZERO_SELF_SIGNED_CERT SELF_SIGNED_CERT_IN_CHAIN UNABLE_TO_VERIFY_LEAF_SIGNATURE ' +
    'UNABLE_TO_GET_ISSUER_CERT_LOCALLY ERR_TLS_CERT_ALTNAME_INVALID'
  ).split(' '),
);

/** Whether a network error happened before anything of the request was written; looks through nested causes. */
export function neverConnected(error: unknown): boolean {
  for (let at: unknown = error, depth = 0; at instanceof Error && depth < 6; depth++) {
    const { code, syscall } = at as NodeJS.ErrnoException;
    if (code !== undefined && (NO_CONNECTION.has(code) || syscall === 'connect')) return true;
    if (at instanceof AggregateError && at.errors.some(neverConnected)) return true;
    at = 'error' in at ? at.error : at.cause;
  }
  return false;
}
