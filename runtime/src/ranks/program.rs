//! A program as the directory sees it, to be replayed under other owner maps.
