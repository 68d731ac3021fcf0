// The card of Duper Bowl Pong: the game in one picture.

import './pong.css';

import type { JSX } from 'preact';

import { Picture } from './Picture';

export function Card(): JSX.Element {
  return <span class="card-picture"><Picture /></span>;
}
