/** The template of an introspection result: fixed texts, and gaps for the texts of each shape. */

import type { RootName } from '../static-types.ts';
import type { DescribedShape } from './describe-shape.ts';
import type { Place } from './join-texts.ts';
import type { MetaField, MetaType } from './meta-types.ts';
import type { SelectedMember } from './selected-members.ts';
import { emptyRoot, leadingTypes, metaDirectives, trailingTypes } from './static-meta.ts';
import { compileWriter, listText } from './write-meta.ts';

/** A gap for texts of each shape. It may occur several times. */
export interface Gap extends Place {
  readonly write: (shape: DescribedShape) => string;
}

export interface SchemaPlan {
  readonly parts: readonly (string | Gap)[];
}

/** For the value of a `__schema` field. */
export function planSchema(selected: readonly SelectedMember[]): SchemaPlan {
  const parts = openParts();
  parts.text('{');
  selected.forEach((one, index) => {
    parts.text(`${index === 0 ? '' : ','}${JSON.stringify(one.key)}:`);
    addMember(parts, one);
  });
  parts.text('}');
  return { parts: parts.done() };
}

/** For the value of a `__type` field that names a root type. */
export function planRootType(name: RootName, selected: readonly SelectedMember[]): SchemaPlan {
  const parts = openParts();
  addRootType(parts, name, selected);
  return { parts: parts.done() };
}

interface Parts {
  text(text: string): void;
  gap(gap: Gap): void;
  /** One gap for equal selections, because the root types have the same fields. */
  rootFields(selected: SelectedMember): Gap;
  done(): readonly (string | Gap)[];
}

function openParts(): Parts {
  const parts: (string | Gap)[] = [];
  const rootFields = new Map<SelectedMember, Gap>();
  let pending = '';
  return {
    text(text) {
      pending += text;
    },
    gap(gap) {
      parts.push(pending, gap);
      pending = '';
    },
    rootFields(selected) {
      const gap = rootFields.get(selected) ?? gapOfRootFields(selected);
      rootFields.set(selected, gap);
      return gap;
    },
    done: () => [...parts, pending],
  };
}

function addMember(parts: Parts, selected: SelectedMember): void {
  const { name, parent, withDeprecated } = selected;
  const members = selected.members ?? [];
  if (name === 'types') addTypes(parts, members);
  else if (name === 'queryType') addRootType(parts, 'Query', members);
  else if (name === 'subscriptionType') addRootType(parts, 'Subscription', members);
  else if (name === '__typename') parts.text(JSON.stringify(parent));
  else if (name === 'directives') {
    parts.text(listText(metaDirectives, withDeprecated, compileWriter(members)));
  } else parts.text('null'); // The description, and the type of mutations.
}

function addTypes(parts: Parts, members: readonly SelectedMember[]): void {
  const write = compileWriter<MetaType>(members);
  parts.text(`[${leadingTypes.map(write).join(',')},`);
  addRootType(parts, 'Query', members);
  parts.gap({
    write: ({ types }) => types.map((type) => `,${write(type)}`).join(''),
    separator: '',
    empty: '',
  });
  parts.text(',');
  addRootType(parts, 'Subscription', members);
  parts.text(`,${trailingTypes.map(write).join(',')}]`);
}

function addRootType(parts: Parts, name: RootName, members: readonly SelectedMember[]): void {
  const root: MetaType = { ...emptyRoot(name), fields: [], isStatic: false };
  parts.text('{');
  members.forEach((member, index) => {
    if (index > 0) parts.text(',');
    if (member.name === 'fields') addRootFields(parts, member);
    else parts.text(compileWriter<MetaType>([member])(root).slice(1, -1));
  });
  parts.text('}');
}

function addRootFields(parts: Parts, selected: SelectedMember): void {
  parts.text(`${JSON.stringify(selected.key)}:[`);
  parts.gap(parts.rootFields(selected));
  parts.text(']');
}

function gapOfRootFields({ withDeprecated, members }: SelectedMember): Gap {
  const write = compileWriter<MetaField>(members ?? []);
  return {
    write: ({ field }) => (withDeprecated || !field.isDeprecated ? write(field) : ''),
    separator: ',',
    empty: (emptyRoot('Query').fields ?? []).map(write).join(','),
  };
}
