/**
 * Names that programs import without need, because an editor completed them: MPJ Express has its inner buffers here.
 * Nothing of what they do there is offered; with these names such programs compile. No state.
 */
package mpjbuf;
