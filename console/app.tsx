import { useCallback, useEffect, useState } from 'preact/hooks';
import { SiannError } from '../client/siann.ts';
import type { ConsoleSession, Project } from '../wire/console.ts';
import { ask } from './console-api.ts';
import { AuditPage } from './pages/audit.tsx';
import { KeysPage } from './pages/keys.tsx';
import { OperatorPage } from './pages/operator.tsx';
import { PlanPage } from './pages/plan.tsx';
import { ProjectsPage } from './pages/projects.tsx';
import { SecurityPage } from './pages/security.tsx';
import { SetupPage, SignInPage } from './pages/sign-in.tsx';
import { UsagePage } from './pages/usage.tsx';
import { UsersPage } from './pages/users.tsx';
import { Failure } from './parts/loaded.tsx';
import { RoleProvider } from './parts/role.tsx';
import { FilesPage } from './playground/files.tsx';
import { LivePage } from './playground/live.tsx';
import { goTo, useRoute } from './route.ts';
import { Shell } from './shell.tsx';
import { useTranslation } from './words/translation.tsx';

/** Decides which page is shown, and whether the user has to sign in first. */
export function App() {
  const { say } = useTranslation();
  const route = useRoute();
  const [session, setSession] = useState<ConsoleSession | 'none'>();
  const [projects, setProjects] = useState<Project[]>();
  const [error, setError] = useState<unknown>();

  const loadProjects = useCallback(async () => setProjects(await ask<Project[]>('GET', '/projects')), []);
  const enter = useCallback(
    async (entered: ConsoleSession) => {
      await loadProjects();
      setSession(entered);
    },
    [loadProjects],
  );
  const leave = useCallback(() => {
    setSession('none');
    setProjects(undefined);
    goTo('');
  }, []);

  useEffect(() => {
    ask<ConsoleSession>('GET', '/session')
      .then(enter)
      .catch((thrown) => {
        if (thrown instanceof SiannError && thrown.code === 'not_signed_in') setSession('none');
        else setError(thrown);
      });
  }, [enter]);

  if (error !== undefined)
    return (
      <main class="alone">
        <Failure error={error}>
          <button type="button" onClick={() => location.reload()}>
            {say('tryAgain')}
          </button>
        </Failure>
      </main>
    );
  if (session === undefined) return <main class="alone quiet">{say('loading')}</main>;
  const [page = '', id, part] = route.parts;
  if (page === 'setup') return <SetupPage link={route.query.get('link') ?? ''} onSignedIn={enter} />;
  if (session === 'none' || !projects)
    return <SignInPage onSignedIn={enter} problem={route.query.get('problem')} />;

  const project = projects.find((candidate) => candidate.id === id) ?? projects[0];
  const content = () => {
    if (page === 'operator') return <OperatorPage />;
    if (page === 'audit') return <AuditPage />;
    if (page === 'users') return <UsersPage session={session} />;
    if (page === 'playground' && session.user.role !== 'viewer')
      return part === 'live' || id === 'live' ? (
        <LivePage project={project} />
      ) : (
        <FilesPage project={project} />
      );
    if (page !== 'projects' || !project || id === undefined)
      return <ProjectsPage projects={projects} session={session} onChange={loadProjects} />;
    const props = { key: project.id, project, session, onChange: loadProjects };
    if (part === 'usage') return <UsagePage {...props} />;
    if (part === 'security') return <SecurityPage {...props} />;
    if (part === 'plan') return <PlanPage {...props} />;
    return <KeysPage {...props} />;
  };
  return (
    <RoleProvider value={session.user.role}>
      <Shell
        session={session}
        projects={projects}
        project={project}
        route={route}
        onLeave={leave}
        onSession={setSession}
      >
        {content()}
      </Shell>
    </RoleProvider>
  );
}
