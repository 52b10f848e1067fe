import type { ComponentChildren } from 'preact';

/** The title of a page, and one sentence about it. */
export function Heading({
  title,
  intro,
  children,
}: {
  title: string;
  intro?: string;
  children?: ComponentChildren;
}) {
  return (
    <div class="heading">
      <div>
        <h1 tabIndex={-1}>{title}</h1>
        {intro && <p class="quiet">{intro}</p>}
      </div>
      {children}
    </div>
  );
}
