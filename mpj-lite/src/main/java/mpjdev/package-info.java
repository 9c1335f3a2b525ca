/**
 * Names that programs import without need, because an editor completed them: MPJ Express has its inner classes here.
 * Nothing of what they do there is offered, but the fields of a status; with these names such programs compile. No state.
 */
package mpjdev;
