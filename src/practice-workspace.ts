import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const FILES: Readonly<Record<string, string>> = {
  'README.md':
    '# A small project to practise on\n\nNothing here matters. Try: run ls, read notes/todo.txt, delete the folder build.\n',
  'notes/todo.txt': 'water the plants\nread the hermod README\n',
  'src/hello.js': "console.log('hello from practice');\n",
  'build/app.js': "console.log('built');\n",
  'build/app.css': 'body { margin: 0 }\n',
  'build/assets/logo.svg':
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 8 8"><circle cx="4" cy="4" r="3"/></svg>\n',
};

/** A few sample files for practice mode, once: what was deleted stays deleted. */
export function seedPracticeWorkspace(workspace: string): void {
  if (existsSync(workspace)) return;
  for (const [name, text] of Object.entries(FILES)) {
    mkdirSync(dirname(join(workspace, name)), { recursive: true, mode: 0o700 });
    writeFileSync(join(workspace, name), text);
  }
}
