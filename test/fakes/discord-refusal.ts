/** What Discord answers instead of a result. */
export class Refusal extends Error {
  readonly status: number;
  readonly code: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly #more: object;

  constructor(status: number, code: number, message: string, more: object = {}, headers: Refusal['headers'] = {}) {
    super(message);
    this.status = status;
    this.code = code;
    this.headers = headers;
    this.#more = more;
  }

  body(): object {
    return { message: this.message, code: this.code, ...this.#more };
  }
}

/** 50035 with the field at fault, as Discord nests it. */
export function invalidForm(field: string, code: string, message: string): Refusal {
  const errors = field
    .split('.')
    .reduceRight<object>((inner, key) => ({ [key]: inner }), { _errors: [{ code, message }] });
  return new Refusal(400, 50035, 'Invalid Form Body', { errors });
}

export const unknownChannel = () => new Refusal(404, 10003, 'Unknown Channel');
export const unknownMessage = () => new Refusal(404, 10008, 'Unknown Message');
export const missingAccess = () => new Refusal(403, 50001, 'Missing Access');
export const missingPermissions = () => new Refusal(403, 50013, 'Missing Permissions');
