/**
 * The keys of a grid: its authority, the certificates by which sites authenticate each other, their files, and TLS with
 * them (docs/links.md, keys).
 *
 * <p>Files belong to the owner of their folder, and are never accessed on an event loop. The keys in force at a relay
 * belong to its context. {@code posthouse keys} calls {@link org.posthouse.keys.GridAuthority} and
 * {@link org.posthouse.keys.KeysFolder}, a relay's start {@link org.posthouse.keys.SiteKeys}, links
 * {@link org.posthouse.keys.RelayKeys}. This package knows no links and does not decide who may link.
 */
package org.posthouse.keys;
