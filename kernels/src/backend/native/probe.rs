use super::lanes::*; use super::micro::*; use super::pack::*;
fn now()->f64{ let mut t=libc::timespec{tv_sec:0,tv_nsec:0}; unsafe{libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID,&mut t);} t.tv_sec as f64+t.tv_nsec as f64*1e-9}
#[test]
fn probe(){ unsafe {
  for (k,h) in [(512usize,24usize),(512,120),(512,240),(256,24),(256,240),(256,480),(384,240)] {
    let a=vec![[0.5f64;8];24*1024*4]; let b=vec![0.25f64;8*1024]; let mut c=vec![0f64;520*1024];
    let n=512; let mut best=1e9f64;
    for _ in 0..30 { let t=now();
      for _ in 0..4 { for j in (0..n).step_by(8) { for i in (0..h).step_by(24) {
        let target=Target{c:c.as_mut_ptr().add(i+j*520),ld:520,rows:24,cols:8,below:isize::MAX,alpha:-1.0,beta:1.0};
        <Avx512 as Kit<f64>>::product(k,a.as_ptr().cast::<f64>().add(i*k),b.as_ptr(),&target,Ahead{first:b.as_ptr(),stride:0});
      }}}
      best=best.min((now()-t)/4.0); }
    println!("product k {k} h {h}: {:.1} GF/s", 2.0*(h*n*k) as f64/best*1e-9);
  }
  for huge in [false,true] { for hot in [false,true] { for n in [512usize,520,640] {
    let mut src=Vec::<f64>::with_capacity(n*n*20+(1<<19)); let mut dst=Vec::<f64>::with_capacity(n*n*2+(1<<19));
    if huge { libc::madvise(((src.as_ptr() as usize+4095)&!4095) as *mut _,src.capacity()*8-4096,libc::MADV_HUGEPAGE); libc::madvise(((dst.as_ptr() as usize+4095)&!4095) as *mut _,dst.capacity()*8-4096,libc::MADV_HUGEPAGE); }
    src.resize(n*n*20,1.0); dst.resize(n*n*2,0.0); let mut dst=vec![0f64;n*n*2]; let mut best=1e9f64; let mut bestc=1e9f64;
    for r in 0..40 { let s=src.as_ptr().add(if hot {0} else {n*n*(r%20)});
      let t=now();
      let q=if hot {n/4} else {n}; for i in (0..q/24*24).step_by(24){ <Avx512 as Kit<f64>>::pack_rows(Strided{first:s.add(i),width:24,k:n,across:1,along:n as isize},dst.as_mut_ptr().add(i*n)); }
      best=best.min(now()-t);
      let s=src.as_ptr().add(if hot {0} else {n*n*((r+7)%20)});
      let t=now();
      for i in (0..q/8*8).step_by(8){ <Avx512 as Kit<f64>>::pack_cols(Strided{first:s.add(i),width:8,k:n,across:1,along:n as isize},dst.as_mut_ptr().add(i*n)); }
      bestc=bestc.min(now()-t);
    }
    println!("pack huge {huge} hot {hot} n {n}: rows {:.2} GB/s, {:.1} us; cols {:.2} GB/s  {:.1} us (product at 85: {:.0} us)", (n*(if hot {n/4/24*24} else {n})*8) as f64/best*1e-9, best*1e6, (n*(if hot {n/4} else {n})*8) as f64/bestc*1e-9, bestc*1e6, 2.0*(n as f64).powi(3)/85e3);
  }}}
}}
