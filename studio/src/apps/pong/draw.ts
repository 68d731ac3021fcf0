// The picture of a match: court, paddles, the ball from its parameters, and its trail.

import type { Theme } from '../../base/theme';
import { outline, type Court, type Place } from './court';

export interface BallView {
  at: Place;
  angle: number;
  radii: [number, number];
  exponent: number;
}

export interface PaddleView {
  at: Place;
  tilt: number;
}

export interface Spark {
  at: Place;
  /** Seconds since it began. */
  age: number;
}

interface Colours {
  ground: string;
  line: string;
  players: [string, string];
  ball: string;
  shade: string;
}

const COLOURS: Record<Theme, Colours> = {
  light: { ground: '#fbf7ef', line: '#d8cfbf', players: ['#d98a12', '#2f7d93'], ball: '#20242c', shade: '#4b5261' },
  dark: { ground: '#171a20', line: '#333a46', players: ['#f0a330', '#4fb0c9'], ball: '#f6efe2', shade: '#c9bda8' },
};

export function drawMatch(context: CanvasRenderingContext2D, court: Court, theme: Theme, match: { ball: BallView; trail: BallView[]; paddles: [PaddleView, PaddleView]; sparks: Spark[] }): void {
  const colours = COLOURS[theme];
  const { width, height } = context.canvas;
  context.fillStyle = colours.ground;
  context.fillRect(0, 0, width, height);
  drawCourt(context, court, colours);
  for (const [index, old] of match.trail.entries()) {
    context.globalAlpha = 0.16 * ((index + 1) / match.trail.length);
    drawBall(context, court, old, colours);
  }
  context.globalAlpha = 1;
  for (const [index, paddle] of match.paddles.entries()) drawPaddle(context, court, paddle, colours.players[index === 0 ? 0 : 1]);
  drawBall(context, court, match.ball, colours, true);
  for (const { at, age } of match.sparks) {
    const { x, y } = court.toScreen(at);
    context.globalAlpha = Math.max(1 - age / 0.25, 0);
    context.strokeStyle = colours.ball;
    context.lineWidth = 0.05 * court.scale;
    context.beginPath();
    context.arc(x, y, (0.1 + 2.2 * age) * court.scale, 0, 2 * Math.PI);
    context.stroke();
  }
  context.globalAlpha = 1;
}

function drawCourt(context: CanvasRenderingContext2D, court: Court, colours: Colours): void {
  const [w, h] = court.facts.court;
  const line = (from: Place, to: Place, dash: number[] = []) => {
    const [a, b] = [court.toScreen(from), court.toScreen(to)];
    context.setLineDash(dash);
    context.beginPath();
    context.moveTo(a.x, a.y);
    context.lineTo(b.x, b.y);
    context.stroke();
  };
  context.strokeStyle = colours.line;
  context.lineCap = 'round';
  context.lineWidth = 0.12 * court.scale;
  for (const side of [-1, 1]) line({ x: -w, y: side * (h + 0.06) }, { x: w, y: side * (h + 0.06) });
  context.lineWidth = 0.06 * court.scale;
  line({ x: 0, y: -h }, { x: 0, y: h }, [0.25 * court.scale, 0.3 * court.scale]);
  for (const side of [-1, 1]) line({ x: side * w, y: -h }, { x: side * w, y: h }, [0.05 * court.scale, 0.25 * court.scale]);
  context.setLineDash([]);
}

function drawPaddle(context: CanvasRenderingContext2D, court: Court, { at, tilt }: PaddleView, colour: string): void {
  const { paddle, thickness } = court.facts;
  const [dx, dy] = [-Math.sin(tilt) * paddle, Math.cos(tilt) * paddle];
  const [a, b] = [court.toScreen({ x: at.x - dx, y: at.y - dy }), court.toScreen({ x: at.x + dx, y: at.y + dy })];
  context.strokeStyle = colour;
  context.lineCap = 'round';
  context.lineWidth = 2 * thickness * court.scale;
  context.beginPath();
  context.moveTo(a.x, a.y);
  context.lineTo(b.x, b.y);
  context.stroke();
}

function drawBall(context: CanvasRenderingContext2D, court: Court, ball: BallView, colours: Colours, marked = false): void {
  const { x, y } = court.toScreen(ball.at);
  context.save();
  context.translate(x, y);
  context.rotate(court.angle(ball.angle));
  context.scale(court.scale, -court.scale);
  const path = new Path2D();
  for (const [index, corner] of outline(ball.radii, ball.exponent).entries()) {
    if (index === 0) path.moveTo(corner.x, corner.y);
    else path.lineTo(corner.x, corner.y);
  }
  path.closePath();
  context.fillStyle = colours.ball;
  context.fill(path);
  if (marked) {
    // Two quarters of another shade, so that the spin is seen.
    context.clip(path);
    context.fillStyle = colours.shade;
    context.fillRect(0, 0, 2, 2);
    context.fillRect(-2, -2, 2, 2);
  }
  context.restore();
}
