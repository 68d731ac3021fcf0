// What is shown when a page breaks: a sentence, and ways on, instead of nothing.

import './ErrorBoundary.css';

import { Component, type ComponentChildren, type JSX } from 'preact';

import { Button } from '../ui/controls';

interface State {
  broken: string | null;
}

export class ErrorBoundary extends Component<{ children: ComponentChildren }, State> {
  override state: State = { broken: null };

  static override getDerivedStateFromError(error: unknown): State {
    return { broken: error instanceof Error ? error.message : String(error) };
  }

  override render(): JSX.Element {
    const { broken } = this.state;
    if (broken === null) return <>{this.props.children}</>;
    return (
      <main class="broken">
        <h1>This page broke</h1>
        <p aria-live="assertive">What you made is kept in this browser. The reason, for a report: {broken}</p>
        <p>
          <Button icon="turn" label="Open it again" wordy primary onClick={() => {
            this.setState({ broken: null });
          }} />
          <a href="#/">Go to the start page</a>
        </p>
      </main>
    );
  }
}
