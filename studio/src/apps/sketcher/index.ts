// Multibody Sketcher, as the shell loads it.

export { Sketcher as Page } from './Sketcher';
