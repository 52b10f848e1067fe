import type { ComponentChildren } from 'preact';
import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { useTranslation } from '../words/translation.tsx';

type Loaded<Value> = {
  value: Value | undefined;
  error: unknown;
  reload(): Promise<void>;
};

/** Loads a value when the page opens, and again when `dependencies` change. An answer that a newer request has overtaken is dropped. */
export function useLoaded<Value>(
  load: () => Promise<Value>,
  dependencies: readonly unknown[],
): Loaded<Value> {
  const [state, setState] = useState<{ value?: Value; error?: unknown }>({});
  const newest = useRef(0);
  const reload = useCallback(async () => {
    const request = ++newest.current;
    const isNewest = () => request === newest.current;
    try {
      const value = await load();
      if (isNewest()) setState({ value });
    } catch (error) {
      if (isNewest()) setState((before) => ({ ...before, error }));
    }
  }, dependencies);
  useEffect(() => void reload(), [reload]);
  return { value: state.value, error: state.error, reload };
}

/** Shows that the value is being loaded, or why it cannot be loaded, and then the value. */
export function WhenLoaded<Value>(props: {
  loaded: Loaded<Value>;
  children: (value: Value) => ComponentChildren;
}) {
  const { say } = useTranslation();
  const { value, error, reload } = props.loaded;
  return (
    <>
      {error !== undefined && (
        <Failure error={error}>
          <button type="button" onClick={() => void reload()}>
            {say('tryAgain')}
          </button>
        </Failure>
      )}
      {value !== undefined && props.children(value)}
      {value === undefined && error === undefined && <p class="quiet">{say('loading')}</p>}
    </>
  );
}

export function Failure({ error, children }: { error: unknown; children?: ComponentChildren }) {
  const { explain } = useTranslation();
  if (error === undefined) return null;
  return (
    <div class="failure" role="alert">
      <p>{explain(error)}</p>
      {children}
    </div>
  );
}
