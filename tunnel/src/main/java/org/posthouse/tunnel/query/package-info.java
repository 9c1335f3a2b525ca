/**
 * Questions of one relay to another, over a stream of their link: the door of the stream is the question, its bytes are
 * the answer. The content is for others to agree on. Confined to the relay's context. From outside call
 * {@link org.posthouse.tunnel.query.LinkQueries}.
 */
package org.posthouse.tunnel.query;
