import { useState } from 'preact/hooks';
import type { ConsolePlan, ConsoleSession, Project } from '../../wire/console.ts';
import { ask } from '../console-api.ts';
import { useAction } from '../parts/action.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { TextField } from '../parts/field.tsx';
import { Heading } from '../parts/heading.tsx';
import { Failure } from '../parts/loaded.tsx';
import { For, useMay } from '../parts/role.tsx';
import { goTo } from '../route.ts';
import { useTranslation } from '../words/translation.tsx';

type Props = { project: Project; session: ConsoleSession; onChange(): Promise<void> };

export function PlanPage(props: Props) {
  const { say } = useTranslation();
  return (
    <>
      <Heading title={say('plan')} intro={say('planIntro')} />
      <PlanChoice {...props} />
      <ProjectSettings {...props} />
    </>
  );
}

function PlanChoice({ project, session, onChange }: Props) {
  const { say } = useTranslation();
  const { busy, error, run } = useAction();
  const may = useMay();
  const [chosen, choose] = useState(project.plan);
  const [saved, setSaved] = useState(false);
  return (
    <form
      onSubmit={async (event) => {
        event.preventDefault();
        const worked = await run(async () => {
          await ask('PATCH', `/projects/${project.id}`, { plan: chosen });
          await onChange();
        });
        setSaved(worked);
      }}
    >
      <fieldset class="cards plans">
        <legend class="hidden">{say('plan')}</legend>
        {session.plans.map((plan) => (
          <label key={plan.id} class="card plan">
            <input
              type="radio"
              name="plan"
              value={plan.id}
              checked={chosen === plan.id}
              disabled={!may('operator')}
              onChange={() => {
                setSaved(false);
                choose(plan.id);
              }}
            />
            <PlanText plan={plan} />
          </label>
        ))}
      </fieldset>
      <Failure error={error} />
      <For atLeast="operator">
        <div class="buttons">
          <span role="status">{saved && say('saved')}</span>
          <button type="submit" class="primary" disabled={busy || chosen === project.plan}>
            {say('save')}
          </button>
        </div>
      </For>
    </form>
  );
}

function PlanText({ plan }: { plan: ConsolePlan }) {
  const { say, number } = useTranslation();
  return (
    <span>
      <strong>{say(`plan_${plan.id}`)}</strong>
      <span>
        {plan.quotaMinutes === null
          ? say('unlimited')
          : say('minutesAMonth', { minutes: number(plan.quotaMinutes) })}
      </span>
      <span>{say('perSecond', { count: plan.requestsPerSecond })}</span>
      <span>{say('atOnce', { count: plan.concurrentConnections })}</span>
    </span>
  );
}

function ProjectSettings({ project, onChange }: Props) {
  const { say } = useTranslation();
  const { busy, error, run } = useAction();
  const [name, setName] = useState(project.name);
  const [isDialogOpen, setDialogOpen] = useState(false);
  return (
    <section>
      <h2>{say('projectSettings')}</h2>
      <form
        class="card stack"
        onSubmit={(event) => {
          event.preventDefault();
          void run(async () => {
            await ask('PATCH', `/projects/${project.id}`, { name });
            await onChange();
          });
        }}
      >
        <TextField label={say('projectName')} value={name} onValue={setName} maxLength={100} />
        <p class="quiet">
          {say('projectId')}: <code>{project.id}</code>
        </p>
        <Failure error={error} />
        <div class="buttons">
          <For atLeast="owner">
            <button type="button" class="danger" onClick={() => setDialogOpen(true)}>
              {say('deleteProject')}
            </button>
          </For>
          <For atLeast="operator">
            <button type="submit" disabled={busy || name === project.name}>
              {say('rename')}
            </button>
          </For>
        </div>
      </form>
      {isDialogOpen && (
        <Dialog
          title={say('deleteProject')}
          action={say('deleteProject')}
          dangerous
          onClose={() => setDialogOpen(false)}
          onAction={async () => {
            await ask('DELETE', `/projects/${project.id}`);
            goTo('projects');
            await onChange();
          }}
        >
          <p>{say('deleteWarning', { name: project.name })}</p>
        </Dialog>
      )}
    </section>
  );
}
