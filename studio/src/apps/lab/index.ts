// Contact Lab, as the shell loads it.

export { Lab as Page } from './Lab';
