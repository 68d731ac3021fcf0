// Short tones, made on the spot. Off until somebody wants them; browsers allow none before the first press.

export class Sound {
  private context: AudioContext | null = null;

  constructor(private readonly isOn: () => boolean) {}

  /** Paddles sound higher than walls, and hard hits louder. */
  bounce(paddle: boolean, speed: number): void {
    this.tone(paddle ? 440 + 8 * speed : 260, 0.06, Math.min(0.04 + 0.006 * speed, 0.2));
  }

  point(won: boolean): void {
    this.tone(won ? 660 : 180, 0.25, 0.15);
  }

  private tone(frequency: number, seconds: number, loudness: number): void {
    if (!this.isOn()) return;
    try {
      this.context ??= new AudioContext();
      const { context } = this;
      const [tone, volume] = [context.createOscillator(), context.createGain()];
      tone.type = 'triangle';
      tone.frequency.value = frequency;
      volume.gain.setValueAtTime(loudness, context.currentTime);
      volume.gain.exponentialRampToValueAtTime(0.001, context.currentTime + seconds);
      tone.connect(volume).connect(context.destination);
      tone.start();
      tone.stop(context.currentTime + seconds);
    } catch {
      // A machine without sound.
    }
  }
}
