package org.posthouse.launch.output;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Notes what a journal tells of its stream. */
final class NotedWatcher implements OutputJournal.Watcher {
    final List<String> told;
    final List<String> last = new ArrayList<>();
    final Map<Long, OutputMarks.Place> places = new TreeMap<>();

    /** @param told gets differences and faults */
    NotedWatcher(List<String> told) {
        this.told = told;
    }

    @Override
    public void differs(String what) {
        told.add(what);
    }

    @Override
    public void lastWords(String line) {
        last.add(line);
    }

    @Override
    public void lost(String what) {
        told.add(what);
    }

    @Override
    public void broken(IOException why) {
        told.add("broken: " + why.getMessage());
    }

    @Override
    public void placed(long mark, OutputMarks.Place place) {
        places.put(mark, place);
    }
}
