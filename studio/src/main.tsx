// Superegg Studio: the start page and the apps behind it.

import './ui/tokens.css';

import { render } from 'preact';

import { takeToken } from './link/token';
import { Studio } from './shell/Studio';

takeToken();
const root = document.getElementById('root');
if (root) render(<Studio />, root);
