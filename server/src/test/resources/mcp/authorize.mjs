// The conformance suite sends no key of its own: this adds it to every request.
import { subscribe } from 'node:diagnostics_channel';

subscribe('undici:request:create', ({ request }) =>
  request.addHeader('authorization', `Bearer ${process.env.ATOLL_API_KEY}`));
