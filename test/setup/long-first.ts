import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Files that take longest though they are not the largest; one of them begun last would be waited for alone. */
const LONG =
  /\/(?:chaos|approvals-kill|loop|stop|kill|job-kills|approval-commands|reminder-kill|boots|jobs-command-line|page\/chat)\.test\.ts$/;

export class LongFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    return sorted.toSorted((a, b) => Number(LONG.test(b.moduleId)) - Number(LONG.test(a.moduleId)));
  }
}
