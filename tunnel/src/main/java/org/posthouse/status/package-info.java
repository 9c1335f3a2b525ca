/**
 * The status of a relay, its links, jobs and ranks, as immutable records. There is one set for all readers: packages
 * {@code tunnel} and {@code relay} fill the records, {@code ops} writes them as JSON and as metrics, and the command line
 * and the console read that JSON. A name of a component is its key in the API; {@code openapi.json} describes each of
 * them, held by a test. The package uses no other package.
 */
package org.posthouse.status;
