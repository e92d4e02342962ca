// A snapshot of the workspace, read the way the page asks for it.

import { wordsFor } from "./texts.js";

const NOBODY = { id: "", name: "…", tz: "UTC", locale: "en-US", is_bot: false };

export class World {
  constructor(snapshot) {
    this.snapshot = snapshot;
    this.users = new Map((snapshot.users ?? []).map((user) => [user.id, user]));
    this.channels = snapshot.channels ?? [];
    this.me = this.users.get(snapshot.me) ?? NOBODY;
    this.t = wordsFor(this.me.locale);
    this.views = snapshot.views ?? [];
    this.home = snapshot.home ?? null;
    this.commands = snapshot.commands ?? [];
    this.shortcuts = snapshot.shortcuts ?? [];
    this.hasHome = snapshot.has_home ?? false;
    this.broken = snapshot.broken ?? {};
    this.groups = new Map((snapshot.usergroups ?? []).map((group) => [group.id, group]));
  }

  /** Whether a text or blocks speak to the viewer, by name or by a user group they are in. */
  mentionsMe(message) {
    const said = JSON.stringify([message.text, message.blocks]);
    const mine = [...this.groups.values()].filter(({ members }) => members.includes(this.me.id));
    return [`<@${this.me.id}`, `"user_id":"${this.me.id}"`, ...mine.flatMap(({ id }) => [`<!subteam^${id}`, `"usergroup_id":"${id}"`])].some((token) => said.includes(token));
  }

  user(id) {
    return this.users.get(id);
  }

  people() {
    return [...this.users.values()].filter((user) => !user.is_bot);
  }

  channel(id) {
    return this.channels.find((channel) => channel.id === id);
  }

  /** What a channel is called in a sentence: `#name`, or the name of whom the direct message is with. */
  place(channel) {
    const name = this.users.get(channel.name)?.name ?? channel.name;
    return channel.is_im ? name : `#${name}`;
  }

  messages(channel) {
    return this.snapshot.messages?.[channel] ?? [];
  }

  /** Messages that stand in the channel itself, oldest first. */
  roots(channel) {
    return this.messages(channel).filter((message) => !message.thread_ts || message.thread_ts === message.ts || message.reply_broadcast);
  }

  replies(channel, ts) {
    return this.messages(channel).filter((message) => message.thread_ts === ts && message.ts !== ts);
  }

  author(message) {
    const user = this.users.get(message.user) ?? { ...NOBODY, id: message.user ?? "app", name: message.user ?? "app", is_bot: true };
    return this.face(message.username ? { ...user, name: message.username } : user);
  }

  /** What an avatar needs: the name, whether it is an app, and the person's own colour (0 to 3). */
  face(user) {
    return { name: user.name, app: user.is_bot, tone: Math.max(0, this.people().findIndex(({ id }) => id === user.id)) % 4 };
  }
}

const read = new Map(Object.entries(JSON.parse(sessionStorage.getItem("read") ?? "{}")));

/** Up to where the viewer has read a channel. */
export const readUpTo = (world, channel) => read.get(`${world.me.id} ${channel}`) ?? "";

/** Note that the viewer has seen a channel to its end. */
export function markRead(world, channel) {
  const last = world.messages(channel).at(-1)?.ts;
  if (last === undefined || last === readUpTo(world, channel)) return;
  read.set(`${world.me.id} ${channel}`, last);
  sessionStorage.setItem("read", JSON.stringify(Object.fromEntries(read)));
}

/** How many messages of others wait in a channel, and how many of them speak to the viewer. */
export function unread(world, channel) {
  const since = readUpTo(world, channel.id);
  const fresh = world.messages(channel.id).filter((message) => message.ts > since && message.user !== world.me.id);
  const toMe = fresh.filter((message) => channel.is_im || message.ephemeral || world.mentionsMe(message));
  return { count: fresh.length, toMe: toMe.length };
}
