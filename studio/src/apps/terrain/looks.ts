// What the cloth looks like: a woven blanket, or rock, grass and snow. Both are made of numbers alone, without pictures: noise of
// places and bands of the weave, in the standard material, so that light and shadows are those of the stage.

import { Color, DoubleSide, MeshStandardMaterial, type WebGLProgramParametersWithUniforms } from 'three';

/** Numbers that shaders share, changed in one place. */
export interface LookUniforms {
  /** Height of the highest summit, in metres. */
  top: { value: number };
  /** How much of the distance is fog. */
  fog: { value: number };
  air: { value: Color };
}

/** Value noise in three dimensions, and sums of it. */
export const NOISE = `
  float cell(vec3 p) { p = fract(p * 0.3183099 + vec3(0.71, 0.113, 0.419)); p *= 17.0; return fract(p.x * p.y * p.z * (p.x + p.y + p.z)); }
  float noise(vec3 p) {
    vec3 i = floor(p); vec3 f = fract(p); f = f * f * (3.0 - 2.0 * f);
    return mix(mix(mix(cell(i), cell(i + vec3(1, 0, 0)), f.x), mix(cell(i + vec3(0, 1, 0)), cell(i + vec3(1, 1, 0)), f.x), f.y),
               mix(mix(cell(i + vec3(0, 0, 1)), cell(i + vec3(1, 0, 1)), f.x), mix(cell(i + vec3(0, 1, 1)), cell(i + vec3(1, 1, 1)), f.x), f.y), f.z);
  }
  float rough(vec3 p) { return 0.5 * noise(p) + 0.27 * noise(p * 2.03 + 3.1) + 0.15 * noise(p * 4.1 + 7.7) + 0.08 * noise(p * 8.3 + 1.9); }
`;

const VARYINGS = `
  varying vec3 vPlace;
  varying vec3 vUpward;
  varying vec2 vRest;
`;

/** A standard material whose colour, normal and roughness a piece of shader may change, by place, normal and weave. */
function withShader(material: MeshStandardMaterial, uniforms: LookUniforms, parts: { colour: string; bump: string; fogged: boolean }): MeshStandardMaterial {
  material.onBeforeCompile = (shader: WebGLProgramParametersWithUniforms) => {
    Object.assign(shader.uniforms, uniforms);
    shader.vertexShader = shader.vertexShader
      .replace('#include <common>', `#include <common>\nattribute vec2 rest;\n${VARYINGS}`)
      .replace('#include <begin_vertex>', '#include <begin_vertex>\nvPlace = (modelMatrix * vec4(position, 1.0)).xyz; vUpward = normal; vRest = rest;');
    shader.fragmentShader = shader.fragmentShader
      .replace('#include <common>', `#include <common>\nuniform float top; uniform float fog; uniform vec3 air;\n${VARYINGS}\n${NOISE}\nfloat dull = 1.0;`)
      .replace('#include <color_fragment>', `#include <color_fragment>\n${parts.colour}`)
      .replace('#include <roughnessmap_fragment>', 'float roughnessFactor = roughness * dull;')
      .replace('#include <normal_fragment_maps>', `#include <normal_fragment_maps>\n${parts.bump}`)
      .replace('#include <opaque_fragment>', `#include <opaque_fragment>\n${parts.fogged ? 'gl_FragColor.rgb = mix(gl_FragColor.rgb, air, 1.0 - exp(-fog * length(vViewPosition)));' : ''}`);
  };
  return material;
}

/** A plaid blanket: its stripes follow the weave, so that every fold is seen. */
export function clothMaterial(uniforms: LookUniforms): MeshStandardMaterial {
  const colour = `
    vec2 weave = vRest * 8.0;
    vec2 stripe = abs(fract(weave) - 0.5);
    float broad = 0.5 * (smoothstep(0.29, 0.27, stripe.x) + smoothstep(0.29, 0.27, stripe.y));
    float thin = max(smoothstep(0.018, 0.010, abs(stripe.x - 0.42)), smoothstep(0.018, 0.010, abs(stripe.y - 0.42)));
    vec3 linen = vec3(0.90, 0.83, 0.70);
    vec3 teal = vec3(0.10, 0.36, 0.42);
    diffuseColor.rgb = mix(linen, teal, 0.12 + 0.62 * broad);
    diffuseColor.rgb = mix(diffuseColor.rgb, vec3(0.86, 0.47, 0.12), 0.85 * thin);
    vec2 threads = vRest * 420.0;
    float near = clamp(1.0 - 1.6 * max(fwidth(threads.x), fwidth(threads.y)), 0.0, 1.0);
    diffuseColor.rgb *= 1.0 - 0.16 * near * (0.5 + 0.5 * sin(6.2832 * threads.x) * sin(6.2832 * threads.y));
    float border = min(min(vRest.x, 1.0 - vRest.x), min(vRest.y, 1.0 - vRest.y));
    diffuseColor.rgb = mix(vec3(0.62, 0.20, 0.13), diffuseColor.rgb, smoothstep(0.010, 0.013, border));
    if (!gl_FrontFacing) diffuseColor.rgb = mix(diffuseColor.rgb, vec3(0.55, 0.50, 0.43), 0.6);
  `;
  return withShader(new MeshStandardMaterial({ roughness: 0.92, side: DoubleSide }), uniforms, { colour, bump: '', fogged: false });
}

/** Snow on high gentle slopes, grass on low ones, rock where it is steep, a beach along the border. */
export function terrainMaterial(uniforms: LookUniforms): MeshStandardMaterial {
  const colour = `
    float slope = 1.0 - clamp(normalize(vUpward).z, -1.0, 1.0);
    float coarse = rough(vPlace * 7.0);
    float fine = rough(vPlace * 46.0);
    float patches = noise(vPlace * 3.1 + 11.0);
    vec3 grass = mix(vec3(0.10, 0.17, 0.045), vec3(0.24, 0.30, 0.085), fine);
    grass = mix(grass, vec3(0.32, 0.29, 0.12), smoothstep(0.45, 0.8, patches) * 0.7);
    grass *= 0.75 + 0.5 * coarse;
    float bands = 0.5 + 0.5 * sin(95.0 * vPlace.z + 6.0 * coarse + 4.0 * noise(vPlace * 5.0));
    vec3 rock = mix(vec3(0.17, 0.15, 0.135), vec3(0.36, 0.32, 0.27), 0.55 * fine + 0.45 * bands);
    rock *= 0.72 + 0.5 * coarse;
    vec3 snow = mix(vec3(0.80, 0.85, 0.92), vec3(0.96, 0.97, 1.0), fine);
    vec3 sand = mix(vec3(0.50, 0.42, 0.27), vec3(0.66, 0.57, 0.40), fine);
    float border = min(min(vRest.x, 1.0 - vRest.x), min(vRest.y, 1.0 - vRest.y));
    float shore = (1.0 - smoothstep(0.02, 0.075, border + 0.03 * coarse)) * (1.0 - smoothstep(0.03, 0.09, vPlace.z));
    float line = max(0.33, 0.58 * top);
    float high = smoothstep(line - 0.05, line + 0.06, vPlace.z + 0.16 * (coarse - 0.5));
    float steep = smoothstep(0.20, 0.38, slope + 0.20 * (coarse - 0.5) + 0.14 * smoothstep(0.12, 0.32, vPlace.z));
    vec3 ground = mix(grass, sand, shore);
    ground = mix(ground, rock, steep);
    float white = high * (1.0 - smoothstep(0.36, 0.58, slope + 0.25 * (fine - 0.5)));
    diffuseColor.rgb = mix(ground, snow, white);
    dull = mix(1.0, 0.72, white);
  `;
  const bump = `
    {
      float strength = 0.0045;
      float here = rough(vPlace * 38.0) + 0.6 * rough(vPlace * 11.0);
      vec3 dx = dFdx(vViewPosition); vec3 dy = dFdy(vViewPosition);
      vec3 r1 = cross(dy, normal); vec3 r2 = cross(normal, dx);
      float det = dot(dx, r1);
      vec3 gradient = sign(det) * (dFdx(here) * r1 + dFdy(here) * r2);
      normal = normalize(abs(det) * normal + strength * gradient);
    }
  `;
  return withShader(new MeshStandardMaterial({ roughness: 0.96, side: DoubleSide }), uniforms, { colour, bump, fogged: true });
}
