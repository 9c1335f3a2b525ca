/**
 * The keys of a grid: its authority and the certificates by which sites know each other, their files, and TLS with them (docs/links.md, keys).
 *
 * <p>Files belong to whoever owns their folder, and are touched on no event loop; what is in force at a relay belongs to its context. {@code posthouse keys}
 * calls {@link org.posthouse.keys.GridAuthority} and {@link org.posthouse.keys.KeysFolder}, a relay's start {@link org.posthouse.keys.SiteKeys}, links
 * {@link org.posthouse.keys.RelayKeys}. Who may link is not decided here: no link is known.
 */
package org.posthouse.keys;
