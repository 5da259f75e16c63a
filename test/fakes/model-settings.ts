/** The lines of config.yaml that make a fake model the only one. `parallel`: how many of its answers may be open at once. */
export function modelSettings(url: string, parallel = 16): string {
  return `model:
  primary: fake:some-model
providers:
  fake:
    kind: openai_compatible
    base_url: ${url}
    max_parallel: ${parallel}
`;
}
