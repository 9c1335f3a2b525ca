package org.posthouse.relay;

import org.posthouse.wire.FrameView;

/** Frames in words, for traces. */
final class FrameWords {
    private FrameWords() {}

    static String of(FrameView view) {
        return view.type() + (view.flags() == 0 ? "" : "/" + view.flags()) + switch (view.type()) {
            case SEND, EAGER, OFFER, RESENT -> way(view) + " tag " + view.tag() + " #" + view.sequence() + ", " + view.messageBytes() + " bytes";
            case DELIVERED -> way(view) + " tag " + view.tag() + " #" + view.sequence() + " for request " + view.request();
            case CHUNK -> way(view) + " #" + view.sequence() + " at " + view.offset();
            case CLEAR -> way(view) + " #" + view.sequence() + " up to " + view.offset();
            case WITHDRAW, WITHDRAWN -> way(view) + " #" + view.sequence();
            case POST, PROBE, CANCEL -> " context " + view.context() + " from " + view.source() + " tag " + view.tag() + " ordinal "
                    + view.ordinal() + " request " + view.postRequest() + ", " + view.postFailedPolls() + " polls";
            case EVENTS -> " from " + view.firstEvent() + ": " + view.events() + ", " + view.eventsFailedPolls() + " polls";
            case ACK -> " safe " + view.safe() + " handled " + view.handled();
            case POINT -> " kind " + view.flags() + " of " + view.length() + " bytes";
            default -> " (" + view.length() + " bytes)";
        };
    }

    private static String way(FrameView view) {
        return " " + view.source() + "->" + view.destination() + " context " + view.context();
    }
}
