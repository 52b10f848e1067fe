import type { Language } from '../../client/siann.ts';
import { Choice } from '../parts/field.tsx';
import type { TranscriptionChoice } from '../samples/transcription.ts';
import { useTranslation } from '../words/translation.tsx';

const languages: readonly Language[] = ['mixed', 'zh-TW', 'nan-TW', 'en-US', 'zh-CN'];

/** The choice of the language, and whether to tell speakers apart. */
export function Choices(props: {
  choice: TranscriptionChoice;
  disabled: boolean;
  onChoice(choice: TranscriptionChoice): void;
}) {
  const { say } = useTranslation();
  const { choice, disabled, onChoice } = props;
  return (
    <div class="filters">
      <Choice
        label={say('spoken')}
        value={choice.language}
        disabled={disabled}
        options={languages.map((language) => [language, say(`lang_${language}`)] as const)}
        onValue={(language) => onChoice({ ...choice, language })}
      />
      <label class="check">
        <input
          type="checkbox"
          checked={choice.speakers}
          disabled={disabled}
          onChange={(event) => onChoice({ ...choice, speakers: event.currentTarget.checked })}
        />
        {say('tellSpeakers')}
      </label>
    </div>
  );
}
