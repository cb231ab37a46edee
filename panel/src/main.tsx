import { applyColorScheme } from './app/color-scheme.js';
import './styles/mantine/mantine-login.css';
import './styles/base.css';
import './styles/login.css';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { App } from './app/app.js';

applyColorScheme();

const root = document.getElementById('root');
if (!root) throw new Error('index.html has no element with the id "root" to draw the panel in.');
createRoot(root).render(
  <StrictMode>
    <App />
  </StrictMode>,
);
