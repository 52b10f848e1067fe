import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { ConsoleSession, Project } from '../wire/console.ts';
import { Preferences } from './parts/preferences.tsx';
import { For } from './parts/role.tsx';
import { UserMenu } from './parts/user-menu.tsx';
import { goTo, type Route } from './route.ts';
import type { Word } from './words/english.ts';
import { useTranslation } from './words/translation.tsx';

type ShellProps = {
  session: ConsoleSession;
  projects: Project[];
  project: Project | undefined;
  route: Route;
  onLeave(): void;
  onSession(session: ConsoleSession): void;
  children: ComponentChildren;
};

/** The frame around every page, with the navigation. */
export function Shell(props: ShellProps) {
  const { session, projects, project, route, onLeave, onSession, children } = props;
  const { say } = useTranslation();
  const [open, setOpen] = useState(false);
  const main = useRef<HTMLElement>(null);
  const path = route.parts.join('/');
  const opened = useRef(path);
  useEffect(() => {
    if (opened.current === path) return;
    opened.current = path;
    setOpen(false);
    // A screen reader then reads out the title of the new page.
    main.current?.querySelector('h1')?.focus();
    scrollTo(0, 0);
  }, [path]);

  const link = (to: string, word: Word) => (
    <li key={to}>
      <a href={`#/${to}`} aria-current={path === to ? 'page' : undefined}>
        {say(word)}
      </a>
    </li>
  );

  return (
    <div class="shell">
      <button type="button" class="skip" onClick={() => main.current?.focus()}>
        {say('skip')}
      </button>
      <header>
        <a class="brand" href="#/projects">
          <span lang="zh-TW">聲</span> Siann
        </a>
        <button
          type="button"
          class="menu"
          aria-expanded={open}
          aria-controls="navigation"
          onClick={() => setOpen(!open)}
        >
          {say('menu')}
        </button>
      </header>
      <nav id="navigation" class={open ? 'open' : ''} aria-label={say('console')}>
        <ul>{link('projects', 'projects')}</ul>
        {project && (
          <>
            <label class="project-choice">
              <span>{say('project')}</span>
              <select
                value={project.id}
                onChange={(event) =>
                  goTo(`projects/${event.currentTarget.value}/${route.parts[2] ?? 'keys'}`)
                }
              >
                {projects.map(({ id, name }) => (
                  <option key={id} value={id} selected={id === project.id}>
                    {name}
                  </option>
                ))}
              </select>
            </label>
            <ul>
              {link(`projects/${project.id}/keys`, 'keys')}
              {link(`projects/${project.id}/usage`, 'usage')}
              {link(`projects/${project.id}/security`, 'security')}
              {link(`projects/${project.id}/plan`, 'plan')}
            </ul>
          </>
        )}
        <For atLeast="operator">
          <h2>{say('playground')}</h2>
          <ul>
            {link('playground/files', 'files')}
            {link('playground/live', 'liveCaptions')}
          </ul>
        </For>
        <h2>Siann</h2>
        <ul>
          {link('operator', 'operator')}
          <For atLeast="operator">{link('audit', 'audit')}</For>
          <For atLeast="owner">{link('users', 'users')}</For>
          <li>
            <a href="/docs">{say('documentation')}</a>
          </li>
        </ul>
        <Preferences />
        <UserMenu user={session.user} onLeave={onLeave} onSession={onSession} />
      </nav>
      <main id="content" ref={main} tabIndex={-1}>
        {children}
      </main>
    </div>
  );
}
