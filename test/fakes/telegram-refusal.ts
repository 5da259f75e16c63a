/** What the Bot API answers instead of a result. */
export class Refusal extends Error {
  readonly code: number;
  readonly description: string;
  readonly parameters: { readonly retry_after?: number; readonly migrate_to_chat_id?: number } | undefined;

  constructor(code: number, description: string, parameters?: Refusal['parameters']) {
    super(description);
    this.code = code;
    this.description = description;
    this.parameters = parameters;
  }

  body(): object {
    const parameters = this.parameters ? { parameters: this.parameters } : {};
    return { ok: false, error_code: this.code, description: this.description, ...parameters };
  }
}

export function badRequest(reason: string): Refusal {
  return new Refusal(400, `Bad Request: ${reason}`);
}

export function forbidden(reason: string): Refusal {
  return new Refusal(403, `Forbidden: ${reason}`);
}
