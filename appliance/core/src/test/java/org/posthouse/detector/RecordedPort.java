package org.posthouse.detector;

import java.util.ArrayList;
import java.util.List;
import org.posthouse.wire.DetectorMessage;

/** Keeps the effects of one detector, in order. */
final class RecordedPort implements DetectorPort {
    record Sent(int to, DetectorMessage message) {}

    private final List<Sent> sent = new ArrayList<>();
    private final List<String> words = new ArrayList<>();

    @Override
    public void send(int host, DetectorMessage message) {
        sent.add(new Sent(host, message));
    }

    @Override
    public void ask(int host) {
        words.add("ask " + host);
    }

    @Override
    public void onSuspected(int host) {
        words.add("suspected " + host);
    }

    @Override
    public void onRefuted(int host) {
        words.add("refuted " + host);
    }

    /** What was sent since the last call, of one kind. */
    <M extends DetectorMessage> List<Sent> takeSent(Class<M> kind) {
        List<Sent> taken = sent.stream().filter(each -> kind.isInstance(each.message)).toList();
        sent.clear();
        return taken;
    }

    /** All else since the last call. */
    List<String> takeWords() {
        List<String> taken = List.copyOf(words);
        words.clear();
        return taken;
    }
}
