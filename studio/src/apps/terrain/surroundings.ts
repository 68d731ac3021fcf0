// What is around the cloth: a table in a room, or a sea under a sky.

import {
  BackSide, type BufferGeometry, Color, Group, Mesh, MeshStandardMaterial, PlaneGeometry, RingGeometry, ShaderMaterial, Shape, ExtrudeGeometry, SphereGeometry,
} from 'three';

import type { Layer } from '../../stage/stage';
import { NOISE, type LookUniforms } from './looks';
import type { Look } from './store';

/** Sea level: just below the cloth's border. */
const SEA = 0.003;

export class Surroundings implements Layer {
  readonly object = new Group();
  private readonly table = new Group();
  private readonly outdoors = new Group();
  private readonly sky: Mesh<SphereGeometry, ShaderMaterial>;
  private readonly sea: Mesh<BufferGeometry, ShaderMaterial>;
  private readonly made: { dispose(): void }[] = [];

  constructor(reach: number, uniforms: LookUniforms) {
    const wood = new MeshStandardMaterial({ color: '#8a5a33', roughness: 0.55 });
    const edge = new MeshStandardMaterial({ color: '#6d4526', roughness: 0.6 });
    const top = new Mesh(new ExtrudeGeometry(roundedSquare(1.16 * reach, 0.12), { depth: 0.07, bevelEnabled: true, bevelSize: 0.012, bevelThickness: 0.012, bevelSegments: 3, curveSegments: 16 }), [wood, edge]);
    top.position.z = -0.084;
    top.receiveShadow = true;
    top.castShadow = true;
    this.table.add(top);
    this.sky = new Mesh(new SphereGeometry(1, 32, 20), skyMaterial());
    this.sky.renderOrder = -10;
    this.sky.frustumCulled = false;
    this.sky.onBeforeRender = (_renderer, _scene, camera) => {
      // Always around the eye, and beyond everything else.
      this.sky.position.copy(camera.position);
      this.sky.scale.setScalar(40);
      this.sky.updateMatrixWorld();
    };
    this.sea = new Mesh(new PlaneGeometry(120, 120), seaMaterial(uniforms));
    this.sea.position.z = SEA;
    // Shallow water shines through along the shore.
    const shallows = new Mesh(new RingGeometry(0.2, 1.75 * reach, 64), shallowMaterial());
    shallows.position.z = SEA + 0.0008;
    this.outdoors.add(this.sky, this.sea, shallows);
    this.object.add(this.table, this.outdoors);
    this.made.push(wood, edge, top.geometry, this.sky.geometry, this.sky.material, this.sea.geometry, this.sea.material, shallows.geometry, shallows.material);
    this.show('cloth');
  }

  show(look: Look): void {
    this.table.visible = look === 'cloth';
    this.outdoors.visible = look === 'terrain';
  }

  dispose(): void {
    for (const thing of this.made) thing.dispose();
  }
}

function roundedSquare(half: number, radius: number): Shape {
  const shape = new Shape();
  const inner = half - radius;
  shape.moveTo(-inner, -half).lineTo(inner, -half).absarc(inner, -inner, radius, -Math.PI / 2, 0, false);
  shape.lineTo(half, inner).absarc(inner, inner, radius, 0, Math.PI / 2, false);
  shape.lineTo(-inner, half).absarc(-inner, inner, radius, Math.PI / 2, Math.PI, false);
  shape.lineTo(-half, -inner).absarc(-inner, -inner, radius, Math.PI, 1.5 * Math.PI, false);
  return shape;
}

/** What the air is at the horizon: also the colour of fog. */
export const AIR = new Color('#c3d6e3');

const DIRECTION = `varying vec3 towards;
  void main() { towards = position; gl_Position = projectionMatrix * modelViewMatrix * vec4(position, 1.0); gl_Position.z = gl_Position.w * 0.99999; }`;

function skyMaterial(): ShaderMaterial {
  return new ShaderMaterial({
    side: BackSide, depthWrite: false, depthTest: false,
    uniforms: { air: { value: AIR } },
    vertexShader: DIRECTION,
    fragmentShader: `uniform vec3 air; varying vec3 towards; ${NOISE}
      void main() {
        vec3 way = normalize(towards);
        float up = max(way.z, 0.0);
        vec3 colour = mix(air, vec3(0.16, 0.36, 0.68), pow(up, 0.55));
        vec3 sun = normalize(vec3(3.0, -4.0, 9.0));
        colour += vec3(1.0, 0.85, 0.6) * (0.25 * pow(max(dot(way, sun), 0.0), 24.0) + pow(max(dot(way, sun), 0.0), 900.0));
        vec3 at = vec3(way.xy / (way.z + 0.18) * 1.3, 0.0);
        float cloud = smoothstep(0.52, 0.78, rough(at * 2.2 + 4.0)) * smoothstep(0.02, 0.2, way.z);
        gl_FragColor = vec4(mix(colour, vec3(0.97), 0.75 * cloud), 1.0);
        #include <colorspace_fragment>
      }`,
  });
}

function seaMaterial(uniforms: LookUniforms): ShaderMaterial {
  return new ShaderMaterial({
    uniforms: { air: { value: AIR }, fog: uniforms.fog },
    vertexShader: `varying vec3 place; varying vec3 seen;
      void main() { vec4 world = modelMatrix * vec4(position, 1.0); place = world.xyz; seen = world.xyz - cameraPosition; gl_Position = projectionMatrix * viewMatrix * world; }`,
    fragmentShader: `uniform vec3 air; uniform float fog; varying vec3 place; varying vec3 seen; ${NOISE}
      void main() {
        float far = length(seen);
        vec3 eye = seen / far;
        float calm = clamp(1.0 - 0.12 * far, 0.0, 1.0);
        vec2 ripple = vec2(noise(place * 22.0), noise(place * 22.0 + 31.0)) + 0.5 * vec2(noise(place * 61.0), noise(place * 61.0 + 17.0)) - 0.75;
        vec3 normal = normalize(vec3(0.10 * calm * ripple, 1.0));
        float mirror = 0.03 + 0.97 * pow(1.0 - max(dot(-eye, normal), 0.0), 5.0);
        vec3 way = reflect(eye, normal);
        vec3 above = mix(air, vec3(0.16, 0.36, 0.68), pow(max(way.z, 0.0), 0.55));
        vec3 sun = normalize(vec3(3.0, -4.0, 9.0));
        vec3 colour = mix(vec3(0.018, 0.10, 0.15), above, mirror) + vec3(1.0, 0.9, 0.7) * pow(max(dot(way, sun), 0.0), 160.0);
        gl_FragColor = vec4(mix(colour, air, 1.0 - exp(-0.6 * fog * far)), 1.0);
        #include <colorspace_fragment>
      }`,
  });
}

/** Fades from turquoise in the middle to nothing. */
function shallowMaterial(): ShaderMaterial {
  return new ShaderMaterial({
    transparent: true, depthWrite: false,
    vertexShader: `varying vec2 place;
      void main() { place = position.xy; gl_Position = projectionMatrix * modelViewMatrix * vec4(position, 1.0); }`,
    fragmentShader: `varying vec2 place;
      void main() {
        float reach = max(max(abs(place.x), abs(place.y)), 0.85 * length(place));
        gl_FragColor = vec4(0.05, 0.34, 0.36, 0.6 * (1.0 - smoothstep(0.85, 1.3, reach)));
        #include <colorspace_fragment>
      }`,
  });
}
