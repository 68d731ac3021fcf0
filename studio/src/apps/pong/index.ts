// Duper Bowl Pong, as the shell loads it.

export { Pong as Page } from './Pong';
