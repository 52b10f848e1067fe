import type { Dispatcher } from '../../pool/dispatcher.ts';
import type { VoiceActivity } from '../windows/voice/voice-activity.ts';
import type { WindowJob, WindowResult } from '../windows/window-messages.ts';
import type { PromptTokeniser } from './prompt-tokens.ts';

/** What recognition needs, whether of files or of streams. */
export type RecognitionParts = {
  dispatcher: Dispatcher<WindowJob, WindowResult>;
  voice: VoiceActivity;
  tokenisePrompt: PromptTokeniser;
  /** Whether the model knows Taiwanese. */
  taiwanese: boolean;
};
