import { describe, expect, it } from 'vitest';
import { analyze } from '../../../src/approvals/analyze.ts';
import { FACTS } from '../facts.ts';

const grade = (text: string) => analyze(text, FACTS).grade;

describe('services and the keys that open them', () => {
  it.each([
    ['certbot delete --cert-name x'],
    ['acme.sh --remove -d x'],
    ['step ca revoke 1'],
    ['argo delete --all'],
    ['argo cron delete x'],
    ['tkn pipelinerun delete --all -f'],
    ['jenkins-cli delete-job x'],
    ['java -jar jenkins-cli.jar -s http://j.example/ delete-job x'],
    ['java -jar /opt/jenkins-cli.jar restart'],
    ['java -jar bfg.jar --delete-files x'],
    ['java -jar bfg-1.14.jar -D x r.git'],
    ['gitlab-runner unregister --all-runners'],
    ['php occ user:delete bob'],
    ['php /var/www/occ trashbin:cleanup'],
    ['php -d memory_limit=1G occ user:delete bob'],
    ['occ db:convert-type mysql'],
    ['databricks fs rm -r dbfs:/x'],
    ['ssh-copy-id -i key.pub root@host'],
    ['ssh-copy-id -ikey.pub root@host'],
    ['ssh-import-id gh:x'],
  ])('lose something: %s', (text) => expect(grade(text)).toBe('dangerous'));

  it.each([
    ['ssh-copy-id -i key.pub -h'],
    ['certbot delete --help'],
    ['certbot certificates'],
    ['acme.sh --issue -d x'],
    ['step ca health'],
    ['argo list'],
    ['tkn pipelinerun logs x'],
    ['jenkins-cli list-jobs'],
    ['java -jar jenkins-cli.jar -s http://j.example/ list-jobs'],
    ['java -jar jenkins-cli.jar delete-job --help'],
    ['java -jar app.jar restart'],
    ['java -jar bfg.jar --version'],
    ['java -jar app.jar -D x'],
    ['gitlab-runner list'],
    ['php occ user:list'],
    ['php other user:delete bob'],
    ['php occ user:delete --help'],
    ['occ user:info x'],
    ['databricks fs ls dbfs:/x'],
    ['ssh-copy-id -i ~/.ssh/id_ed25519.pub host'],
    ['ssh-copy-id host'],
    ['ssh-copy-id -n -i key.pub host'],
    ['ssh-copy-id --help -i key.pub'],
    ['ssh-copy-id -i'],
    ['ssh-import-id -r gh:x'],
    ['ssh-import-id --help'],
  ])('are only looked at: %s', (text) => expect(grade(text)).toBe('safe'));
});
