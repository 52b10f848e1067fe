import type { TargetedEvent } from 'preact';
import { useId } from 'preact/hooks';

type TextFieldProps = {
  label: string;
  hint?: string;
  value: string;
  onValue(value: string): void;
  password?: boolean;
  autocomplete?: 'username' | 'current-password' | 'new-password' | 'off';
  maxLength?: number;
};

export function TextField({ label, hint, value, onValue, password = false, ...rest }: TextFieldProps) {
  const id = useId();
  const given = {
    id,
    value,
    required: true,
    autocomplete: rest.autocomplete ?? 'off',
    maxLength: rest.maxLength ?? 200,
    'aria-describedby': hint ? `${id}-hint` : undefined,
    onInput: (event: TargetedEvent<HTMLInputElement>) => onValue(event.currentTarget.value),
  };
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {password ? <input {...given} type="password" /> : <input {...given} type="text" />}
      {hint && (
        <p class="quiet" id={`${id}-hint`}>
          {hint}
        </p>
      )}
    </div>
  );
}

export function Choice<Value extends string>(props: {
  label: string;
  value: Value;
  options: readonly (readonly [Value, string])[];
  onValue(value: Value): void;
  disabled?: boolean;
}) {
  const id = useId();
  return (
    <div class="field">
      <label for={id}>{props.label}</label>
      <select
        id={id}
        value={props.value}
        disabled={props.disabled}
        onChange={(event) => props.onValue(event.currentTarget.value as Value)}
      >
        {props.options.map(([value, text]) => (
          <option key={value} value={value} selected={value === props.value}>
            {text}
          </option>
        ))}
      </select>
    </div>
  );
}
