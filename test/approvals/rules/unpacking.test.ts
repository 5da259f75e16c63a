import { describe, expect, it } from 'vitest';
import { analyze } from '../../../src/approvals/analyze.ts';
import { FACTS } from '../facts.ts';

const has = (rule: string) => (text: string) => analyze(text, FACTS).findings.some((finding) => finding.rule === rule);
const unpacks = has('fs.unpack');
const spills = has('fs.spill');

describe('an archive unpacked where it matters', () => {
  it.each([
    ['cd /etc && 7z x a.7z'],
    ['7z x -spf a.7z'],
    ['cd /etc && tar xf a.tar'],
    ['tar xPf a.tar -C out'],
    ['tar xf a.tar -C / --one-top-level=etc'],
    ['cpio -i --absolute-filenames < x.cpio'],
    ['cd /etc && pax -r -f a.pax'],
    ['cd /etc && unzip /tmp/a.zip'],
    ['git worktree add /etc/x'],
    ['git --work-tree=/etc checkout main'],
    ['git --work-tree=/etc restore a'],
    ['git --work-tree=/etc reset --hard'],
    ['cd ~/.hermod && tar xf a.tar'],
  ])('is asked about: %s', (text) => expect(unpacks(text)).toBe(true));

  it.each([
    ['cd /etc && 7z l a.7z'],
    ['cd /etc && 7z x a.7z -o/tmp/x'],
    ['cd /etc && tar xOf a.tar'],
    ['cd /etc && tar xf a.tar --to-command=cat'],
    ['cd /etc && tar xf a.tar -C /tmp'],
    ['tar xf a.tar -C /tmp --one-top-level=etc'],
    ['cd /etc && cpio -it < x.cpio'],
    ['cd /etc && cpio -i --to-stdout < x.cpio'],
    ['cd /etc && cpio -o < x.cpio'],
    ['cd /etc && cpio -id -D /tmp/x < x.cpio'],
    ['cd /etc && pax -w -f a.pax .'],
    ['cd /etc && unzip -l /tmp/a.zip'],
    ['cd /etc && unzip /tmp/a.zip -d /tmp/x'],
    ['cd /etc && unzip --help'],
    ['git worktree list /etc/x'],
    ['git --work-tree=/etc status'],
    ['git --work-tree=/etc reset a'],
    ['cd ~/.hermod && git worktree add x'],
  ])('is fine elsewhere, or only looked into: %s', (text) => expect(unpacks(text)).toBe(false));
});

describe('files poured into a folder that holds start-up files', () => {
  it.each([
    ['tar xf a.tar -C ~ a.md ".b"*'],
    ['tar xf a.tar -C ~ --wildcards "*.md"'],
    ['cd ~ && tar xf a.tar'],
    ['cd ~ && tar xf a.tar .bashrc'],
    ['cd ~ && tar xv < a.tar'],
    ['cd ~ && unzip /tmp/a.zip'],
    ['7z x a.7z -o/home/user'],
    ['unrar x a.rar ~/'],
    ['cd ~ && cpio -id < a'],
    ['cpio -id -D ~ < a'],
    ['rsync -a dot/ x ~/'],
    ['cp -r dot/. x ~'],
    ['cp -rT dot ~'],
    ['cp -rt ~ dot/.'],
    ['scp -r h:dot/. ~'],
    ['scp "h:dot/*" ~'],
    ['git clone https://x.example/a ~/.config'],
    ['git clone -- https://x.example/a ~'],
    ['svn co https://x.example/a ~/.config'],
    ['tar xf h.tar -C sub/.git'],
    ['tar xf h.tar -C "$X/.git"'],
    ['tar xf h.tar -C ~/.config/systemd'],
    ['tar xf h.tar -C /etc'],
    ['stow -t ~ dot'],
    ['docker run -v /:/h alpine tar xf a.tar -C /h/root'],
  ])('is asked about: %s', (text) => expect(spills(text)).toBe(true));

  it.each([
    ['tar xOf a.tar -C ~'],
    ['tar xf a.tar -C ~ notes/a.md'],
    ['tar xf a.tar .bashrc'],
    ['cd ~ && tar x -f a.tar notes'],
    ['cd "$X" && tar xf a.tar'],
    ['cd ~ && unzip /tmp/a.zip notes/a.md'],
    ['unzip -Z a.zip -d ~'],
    ['7z l a.7z -o/home/user'],
    ['7z x a.7z -o/home/user/src'],
    ['unrar l a.rar ~/'],
    ['unrar x a.rar ~/src/'],
    ['cd ~ && cpio -it < a'],
    ['cd ~ && cpio -o < a'],
    ['cd ~ && cpio -i --to-stdout < a'],
    ['rsync -an dot/ ~/'],
    ['rsync -a x y ~/'],
    ['cp -r dot ~'],
    ['cp -r dot/. sub'],
    ['cp -r dot/. "$X"'],
    ['cp -r dot/. "$X/sub"'],
    ['scp h:dot/a ~'],
    ['git clone https://x.example/a ~/src/a'],
    ['git clone https://x.example/a'],
    ['git fetch https://x.example/a ~'],
    ['svn update x ~/.config'],
    ['tar xf h.tar -C ~/.config/other'],
    ['tar --help x -C ~'],
    ['stow -nt ~ dot'],
    ['stow -t ~/x dot'],
    ['docker run alpine tar xf a.tar -C /root'],
  ])('is fine where it holds none: %s', (text) => expect(spills(text)).toBe(false));
});
