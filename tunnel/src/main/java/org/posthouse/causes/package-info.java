/**
 * What failures say to people, in all rooms above the frames. It has no state, knows nobody, and may be called from anywhere: an exception's text reaches
 * logs, commands and frames through here only.
 */
package org.posthouse.causes;
