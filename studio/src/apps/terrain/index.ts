// Terrain Cloth, as the shell loads it.

export { Terrain as Page } from './Terrain';
