import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';

/** Discord's own description of its HTTP API; it lies beside the checkout and is no part of it. */
const PATH = join(import.meta.dirname, '../../../shared/contracts/discord-openapi.json');

export const hasOpenApi = existsSync(PATH);

interface Content {
  readonly schema?: object;
}

interface Operation {
  readonly requestBody?: { readonly content?: Readonly<Record<string, Content>> };
}

interface Description {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
}

interface Route {
  readonly template: string;
  readonly pattern: RegExp;
  /** Fewer placeholders are more specific. */
  readonly holes: number;
}

/** Checks JSON bodies against the schema of their route; without the description it finds nothing. */
export class OpenApi {
  readonly #ajv = new Ajv2020({ strict: false, allErrors: false, validateFormats: true });
  readonly #routes: readonly Route[];
  readonly #description: Description;
  readonly #compiled = new Map<string, ValidateFunction | null>();

  private constructor(description: Description) {
    this.#description = description;
    this.#routes = Object.keys(description.paths).map(routeOf);
    this.#ajv.addFormat('snowflake', /^\d{1,20}$/);
    this.#ajv.addFormat('nonce', true);
    for (const name of ['int32', 'int64', 'double', 'date-time', 'uri', 'binary']) this.#ajv.addFormat(name, true);
    this.#ajv.addSchema({ ...description, $id: 'discord' });
  }

  /** The same one for everybody: reading and compiling take half a second. */
  static open(): OpenApi | undefined {
    if (hasOpenApi) shared ??= new OpenApi(JSON.parse(readFileSync(PATH, 'utf8')) as Description);
    return shared;
  }

  /** What is wrong with a body, as one line; undefined: nothing. `path` is without the version. */
  problem(method: string, path: string, body: unknown): string | undefined {
    const route = this.#route(method, path);
    if (!route) return `${method} ${path} is no route of the description`;
    const check = this.#check(method, route.template);
    if (!check) return `${method} ${route.template} takes no JSON body`;
    if (check(body)) return undefined;
    return `${method} ${route.template}: ${this.#ajv.errorsText(check.errors).slice(0, 500)} in ${JSON.stringify(body).slice(0, 300)}`;
  }

  #route(method: string, path: string): Route | undefined {
    const fitting = this.#routes.filter(
      ({ pattern, template }) => pattern.test(path) && this.#description.paths[template]?.[method.toLowerCase()],
    );
    return fitting.sort((a, b) => a.holes - b.holes)[0];
  }

  #check(method: string, template: string): ValidateFunction | null {
    const key = `${method} ${template}`;
    const known = this.#compiled.get(key);
    if (known !== undefined) return known;
    const operation = this.#description.paths[template]?.[method.toLowerCase()];
    const schema = operation?.requestBody?.content?.['application/json']?.schema;
    const compiled = schema ? this.#ajv.compile(rebased(schema)) : null;
    this.#compiled.set(key, compiled);
    return compiled;
  }
}

let shared: OpenApi | undefined;

function routeOf(template: string): Route {
  const holes = template.match(/\{[^}]+\}/g)?.length ?? 0;
  return { template, pattern: new RegExp(`^${template.replace(/\{[^}]+\}/g, '[^/]+')}$`), holes };
}

/** A schema of the description on its own: its references point into the whole. */
function rebased(schema: object): object {
  return JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"discord#/')) as object;
}
