// Questions about the document: when they are asked, and which answers count.

import { expect, it } from 'vitest';

import { Question } from '../../src/link/question';

function asked() {
  const [answers, shown]: [((answer: string | null) => void)[], string[]] = [[], []];
  const question = new Question<string>(() => new Promise((resolve) => answers.push(resolve)), (answer) => shown.push(answer));
  const answer = async (index: number, text: string | null) => {
    answers[index]?.(text);
    await Promise.resolve();
  };
  return { question, answers, shown, answer };
}

it('is asked once the session has the document, and once a change', () => {
  const { question, answers } = asked();
  question.settled();
  expect(answers).toHaveLength(0);
  question.renew();
  expect(answers).toHaveLength(0);
  question.settled();
  question.settled();
  expect(answers).toHaveLength(1);
});

it('is answered for the newest document alone', async () => {
  const { question, shown, answer } = asked();
  question.renew();
  question.settled();
  // The document changes before the answer is there.
  question.renew();
  await answer(0, 'of the old document');
  expect(shown).toEqual([]);
  question.settled();
  await answer(1, 'of the new one');
  expect(shown).toEqual(['of the new one']);
  question.renew();
  question.settled();
  await answer(2, null);
  expect(shown).toEqual(['of the new one']);
});
