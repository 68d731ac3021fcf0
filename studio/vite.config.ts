// The bundle that the program embeds. Nothing is fetched at run time.
import { defineConfig } from 'vite';

export default defineConfig({
  esbuild: { jsx: 'automatic', jsxImportSource: 'preact' },
  // `npx vite` serves the sources as they are; the rest comes from a studio that runs beside it.
  server: { proxy: { '/socket': { target: 'ws://127.0.0.1:7340', ws: true } } },
  build: {
    target: 'es2022',
    // three.js alone is larger than the default threshold.
    chunkSizeWarningLimit: 1200,
    // Data addresses would need a weaker content security policy for fonts.
    assetsInlineLimit: 0,
  },
});
