// Duper Bowl Pong (paper 001, appendix B): the page around the court.

import './pong.css';

import type { JSX } from 'preact';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';

import { bindKeys, type Action } from '../../input/actions';
import { Button } from '../../ui/controls';
import { TopBar } from '../../ui/TopBar';
import { ActionHelp } from '../../widgets/ActionHelp';
import { Play } from './match';
import type { Opponent, State } from './messages';
import { Picture } from './Picture';

const LEVELS: { right: Opponent; label: string }[] = [
  { right: 'easy', label: 'Easy' },
  { right: 'medium', label: 'Medium' },
  { right: 'hard', label: 'Hard' },
];
const POINTS = 7;

declare global {
  interface Window {
    /** For the console and for tests. */
    pong?: Play;
  }
}

export function Pong(): JSX.Element {
  const play = useMemo(() => new Play(), []);
  const canvas = useRef<HTMLCanvasElement>(null);
  const [help, setHelp] = useState(false);
  const facts = play.link.facts.value;
  const state = play.state.value;
  const actions = useMemo(() => pongActions(play, () => {
    setHelp(true);
  }), []);

  useEffect(() => {
    window.pong = play;
    // Nobody wants to lose a point to another tab.
    const away = () => {
      if (document.visibilityState === 'hidden' && play.isLive) play.pause(true);
    };
    document.addEventListener('visibilitychange', away);
    const unbind = bindKeys(() => actions);
    return () => {
      document.removeEventListener('visibilitychange', away);
      unbind();
      play.close();
      delete window.pong;
    };
  }, []);
  useEffect(() => (canvas.current && facts ? play.attach(canvas.current, facts) : undefined), [facts]);

  const running = state !== null && state.phase !== 'start';
  return (
    <div class="pong">
      <TopBar title="Duper Bowl Pong" link={play.link} onHelp={() => {
        setHelp(true);
      }}>
        <span class="spacer" />
        <Button icon={play.sounds.value ? 'sound' : 'mute'} label={play.sounds.value ? 'Sound off' : 'Sound on'} onClick={() => {
          play.sounds.value = !play.sounds.peek();
        }} />
        {running && state.phase !== 'over' && (
          <Button icon={state.phase === 'paused' ? 'play' : 'pause'} label={state.phase === 'paused' ? 'Go on' : 'Pause'} onClick={() => {
            play.pause(state.phase !== 'paused');
          }} />
        )}
      </TopBar>
      <main class="pong-main">
        <canvas ref={canvas} class="court" tabIndex={0} aria-label="The court" />
        {running && <Score state={state} />}
        {running && state.phase === 'serve' && (
          <button type="button" class="pong-serve" onClick={() => {
            play.edit({ serve: {} });
          }}>
            {state.server === 0 ? 'Serve' : state.match.right === 'person' ? 'Right player: serve' : 'The computer serves'}
          </button>
        )}
        {play.speed.value < 0.9 && state?.phase === 'play' && <p class="pong-slow" role="status">slow motion {play.speed.value.toFixed(1)}×</p>}
        {play.link.place.value > 0 && <p class="pong-slow" role="status">waiting for a free core: {play.link.place.value} to be served</p>}
        {facts && !running && <StartScreen play={play} />}
        {state?.phase === 'paused' && (
          <section class="pong-screen" aria-label="Paused">
            <h2>Paused</h2>
            <Button icon="play" label="Go on" wordy primary onClick={() => {
              play.pause(false);
            }} />
            <Button icon="close" label="Leave the match" wordy onClick={() => {
              play.edit({ leave: {} });
            }} />
          </section>
        )}
        {state?.phase === 'over' && <Over play={play} state={state} />}
      </main>
      {help && (
        <ActionHelp actions={actions} onClose={() => {
          setHelp(false);
        }} />
      )}
    </div>
  );
}

function Score({ state }: { state: State }): JSX.Element {
  const [left, right] = state.score;
  return (
    <output class="pong-score" data-testid="score" aria-live="polite">
      <b class="left">{left}</b>
      <span>{state.rally > 1 ? `${state.rally} hits` : `to ${state.match.points}`}</span>
      <b class="right">{right}</b>
    </output>
  );
}

function StartScreen({ play }: { play: Play }): JSX.Element {
  const begin = (right: Opponent) => () => {
    play.begin({ right, points: POINTS });
  };
  return (
    <section class="pong-screen start-screen" aria-label="Start">
      <Picture />
      <div class="pong-choices">
        <h2>Alone, against the computer</h2>
        <div class="pong-row">
          {LEVELS.map(({ right, label }) => (
            <button key={right} type="button" class="pong-choice" onClick={begin(right)}>{label}</button>
          ))}
        </div>
        <h2>Two players at this screen</h2>
        <div class="pong-row">
          <button type="button" class="pong-choice" onClick={begin('person')}>Two players</button>
        </div>
        <label class="pong-option">
          <input type="checkbox" checked={play.twoFingers.value} onChange={(event) => {
            play.twoFingers.value = event.currentTarget.checked;
          }} />
          Turn the paddle with two fingers, as in the original game
        </label>
      </div>
    </section>
  );
}

function Over({ play, state }: { play: Play; state: State }): JSX.Element {
  const [left, right] = state.score;
  const alone = state.match.right !== 'person';
  const title = left > right ? (alone ? 'You win' : 'Left wins') : alone ? 'The computer wins' : 'Right wins';
  return (
    <section class="pong-screen" aria-label="The end">
      <h2>{title}</h2>
      <p>{left} : {right}</p>
      <Button icon="turn" label="Play again" wordy primary onClick={() => {
        play.begin(state.match);
      }} />
      <Button icon="close" label="Choose another match" wordy onClick={() => {
        play.edit({ leave: {} });
      }} />
    </section>
  );
}

function pongActions(play: Play, help: () => void): Action[] {
  const phase = () => play.state.peek()?.phase;
  return [
    { id: 'finger', gesture: 'One finger along the paddle’s line', label: 'Moves the paddle; slide across the line to tilt it' },
    { id: 'two-fingers', gesture: 'Two fingers at once', label: 'Two players; or, as an option, turn one paddle' },
    { id: 'mouse', gesture: 'Mouse and wheel', label: 'Move and tilt the paddle' },
    { id: 'keys-left', keys: ['W', 'S'], label: 'Move the left paddle; A and D tilt it' },
    { id: 'keys-right', keys: ['Arrows'], label: 'The right paddle; alone, the left one too' },
    { id: 'serve', keys: ['Space', 'Enter'], label: 'Serve', enabled: () => phase() === 'serve', run: () => {
      play.edit({ serve: {} });
    } },
    { id: 'pause', keys: ['P', 'Escape'], label: 'Pause, and go on', enabled: () => play.isLive || phase() === 'paused', run: () => {
      play.pause(phase() !== 'paused');
    } },
    { id: 'again', keys: ['Enter'], label: 'Play again', enabled: () => phase() === 'over', run: () => {
      const match = play.state.peek()?.match;
      if (match) play.begin(match);
    } },
    { id: 'sound', keys: ['M'], label: 'Sound on or off', run: () => {
      play.sounds.value = !play.sounds.peek();
    } },
    { id: 'help', keys: ['?'], label: 'This help', run: help },
  ];
}
