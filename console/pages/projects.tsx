import { useState } from 'preact/hooks';
import type { ConsoleSession, Project } from '../../wire/console.ts';
import { ask } from '../console-api.ts';
import { Dialog } from '../parts/dialog.tsx';
import { Choice, TextField } from '../parts/field.tsx';
import { Heading } from '../parts/heading.tsx';
import { For } from '../parts/role.tsx';
import { goTo } from '../route.ts';
import { useTranslation } from '../words/translation.tsx';

export function ProjectsPage(props: {
  projects: Project[];
  session: ConsoleSession;
  onChange(): Promise<void>;
}) {
  const { say, date } = useTranslation();
  const [isDialogOpen, setDialogOpen] = useState(false);
  return (
    <>
      <Heading title={say('projects')} intro={say('projectsIntro')}>
        <For atLeast="operator">
          <button type="button" class="primary" onClick={() => setDialogOpen(true)}>
            {say('newProject')}
          </button>
        </For>
      </Heading>
      {props.projects.length === 0 && <p class="empty">{say('noProjects')}</p>}
      <ul class="cards">
        {props.projects.map(({ id, name, plan, createdAt }) => (
          <li key={id} class="card">
            <h2>
              <a href={`#/projects/${id}/keys`}>{name}</a>
            </h2>
            <p>{say(`plan_${plan}`)}</p>
            <p class="quiet">{say('created', { date: date(createdAt) })}</p>
          </li>
        ))}
      </ul>
      {isDialogOpen && <NewProject {...props} onClose={() => setDialogOpen(false)} />}
    </>
  );
}

function NewProject({
  session,
  onChange,
  onClose,
}: {
  session: ConsoleSession;
  onChange(): Promise<void>;
  onClose(): void;
}) {
  const { say } = useTranslation();
  const [name, setName] = useState('');
  const [plan, setPlan] = useState<Project['plan']>('free');
  return (
    <Dialog
      title={say('newProject')}
      action={say('createProject')}
      onClose={onClose}
      onAction={async () => {
        const { id } = await ask<Project>('POST', '/projects', { name, plan });
        await onChange();
        goTo(`projects/${id}/keys`);
      }}
    >
      <TextField label={say('projectName')} value={name} onValue={setName} maxLength={100} />
      <Choice<Project['plan']>
        label={say('plan')}
        value={plan}
        onValue={setPlan}
        options={session.plans.map(({ id }) => [id, say(`plan_${id}`)] as const)}
      />
    </Dialog>
  );
}
